"""Calls handed to processes of this machine, or to the workers of a Dask cluster, in order."""

import functools
import pickle
import sys
import uuid
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

#: Seconds to wait for the scheduler of a cluster.
CLUSTER_TIMEOUT = 20
#: Calls that a cluster knows of at a time: enough for some hundred workers.
IN_FLIGHT = 1000

#: Where errors come from that say nothing of the call: the cluster itself is lost.
_OF_CLUSTERS = ("distributed", "asyncio", "concurrent")


class ClusterError(RuntimeError):
    """Raised when a cluster cannot be reached or was lost on the way."""


class WorkersDiedError(RuntimeError):
    """What a call has in place of a result if the workers that were given it died."""


def finished(
    function: Callable, calls: Sequence[tuple], *, n_jobs: int = 1, cluster: str = ""
) -> Iterator[tuple[int, object]]:
    """Yield the number and the result of each call as it finishes; they begin in their order.

    Parameters
    ----------
    function : callable
        What is called, with each of the `calls` as its arguments. Its first argument is sent
        elsewhere with its code, once for many calls if it is the same object for them.
    calls : sequence of tuple
    n_jobs : int
        Processes, as joblib counts them; with 1 all is done in this one.
    cluster : str
        Address of a Dask scheduler; empty for this machine.

    Yields
    ------
    number : int
        Place among the `calls`.
    result : object
        What the function returned; a `WorkersDiedError` where no worker survived the call.
    """
    if cluster:
        yield from _on_cluster(cluster, _packed(function, calls))
    elif n_jobs != 1:
        yield from _in_processes(n_jobs, _packed(function, calls))
    else:
        for number, call in enumerate(calls):
            yield number, function(*call)


def _packed(function, calls) -> Iterator[tuple]:
    """Arguments of `_call` for each of the calls: pickled once what many of them have."""
    import cloudpickle

    packages = {}
    for number, (shared, *others) in enumerate(calls):
        if id(shared) not in packages:
            packages[id(shared)] = cloudpickle.dumps((function, shared))
        yield number, packages[id(shared)], others


@functools.lru_cache(maxsize=64)
def _unpacked(package: bytes) -> tuple:
    return pickle.loads(package)


def _call(number: int, package: bytes, others: list) -> tuple[int, object]:
    function, shared = _unpacked(package)
    return number, function(shared, *others)


def _in_processes(n_jobs, packed):
    import joblib

    with joblib.parallel_config(backend="loky", inner_max_num_threads=1):
        parallel = joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered")
        yield from parallel(joblib.delayed(_call)(*each) for each in packed)


def _on_cluster(address, packed):
    """Hand out calls by Dask's own means; those of a worker that died it gives to another one."""
    try:
        from distributed import Client, KilledWorker, as_completed
    except ImportError:
        raise ClusterError(
            "a cluster needs the package distributed: `pip install distributed`."
        ) from None
    try:
        client = Client(address, timeout=CLUSTER_TIMEOUT)
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"no Dask scheduler answers at {address} ({error}). Start one with `dask scheduler`, "
            "or leave the cluster empty to run on this machine."
        ) from error
    # Keys that are tuples of one name make a group, which Dask keeps in one queue for all workers,
    # also for those that come later, instead of giving each worker its share at once.
    group = f"minority-{uuid.uuid4().hex}"

    def submit(each):
        number = each[0]
        return client.submit(_call, *each, key=(group, number), priority=-number)

    with client:
        try:
            if not client.ncores():
                print(f"No worker at {address} yet: waiting for the first.", file=sys.stderr)
            running = as_completed(map(submit, islice(packed, IN_FLIGHT)))
            for future in running:
                try:
                    result = future.result()
                except KilledWorker as error:
                    died = f"every worker that had it died, {error.allowed_failures + 1} in all"
                    result = future.key[1], WorkersDiedError(f"{died}: for want of memory?")
                for each in islice(packed, 1):
                    running.add(submit(each))
                del future  # the cluster need not keep what is here
                yield result
        except Exception as error:
            if type(error).__module__.split(".")[0] in _OF_CLUSTERS:
                raise ClusterError(
                    f"the cluster at {address} was lost ({type(error).__name__}). Finished rows "
                    "are kept: run again to go on."
                ) from error
            raise
