"""A piece of work in a process of its own: stopped when its time is over, its memory measured."""

import contextlib
import multiprocessing
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Outcome:
    """What became of the work: its result, or why there is none, and what it took."""

    result: object
    seconds: float
    #: Memory beyond what the process had when the work began, in MB.
    peak_mb: float
    timed_out: bool = False
    error: str = ""


def peak_mb() -> float:
    """The most memory that this process has had, in MB."""
    # Linux counts in kibibytes, macOS in bytes
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


class Child:
    """A fork of this process that does ``work()`` in one thread.

    Compiled code that does not listen to signals is stopped as well, and memory is that of the
    work alone. A fork shares the data and the kernels that are loaded already; the result comes
    back through a pipe, so it should be small. An exception is returned as text.
    """

    def __init__(self, work: Callable[[], object]):
        context = multiprocessing.get_context("fork")
        #: Ready to be read when the work is done.
        self.pipe, theirs = context.Pipe(duplex=False)
        self._process = context.Process(target=_report, args=(work, theirs), daemon=True)
        self._started = time.perf_counter()
        with _allowed_children():
            self._process.start()
        theirs.close()

    @property
    def seconds(self) -> float:
        """Since it was started."""
        return time.perf_counter() - self._started

    def outcome(self, time_limit: float) -> Outcome:
        """What became of the work within so many seconds; ends the process."""
        try:
            if not self.pipe.poll(time_limit):
                return Outcome(None, self.seconds, float("nan"), timed_out=True)
            result, error, peak = self.pipe.recv()
            return Outcome(result, self.seconds, peak, error=error)
        except EOFError:  # killed by the system, for want of memory as a rule
            lost = "the process was killed, most likely for want of memory"
            return Outcome(None, self.seconds, float("nan"), error=lost)
        finally:
            self.stop()

    def stop(self) -> None:
        """End the process, whatever it is doing."""
        self._process.kill()
        self._process.join()
        self.pipe.close()


def in_own_process(work: Callable[[], object], time_limit: float) -> Outcome:
    """Run ``work()`` in a `Child`, at most ``time_limit`` seconds."""
    return Child(work).outcome(time_limit)


@contextlib.contextmanager
def _allowed_children():
    """Let a daemon have them, as the workers of Dask are; ours is ended with the work."""
    flags = multiprocessing.current_process()._config
    was = flags.pop("daemon", None)
    try:
        yield
    finally:
        if was is not None:
            flags["daemon"] = was


def _report(work, pipe):
    from threadpoolctl import threadpool_limits

    before = peak_mb()
    try:
        # Threads of OpenMP do not survive a fork: a library that has used them before would crash.
        with threadpool_limits(1):
            result, error = work(), ""
    except Exception as failure:
        result, error = None, f"{type(failure).__name__}: {failure}"
    pipe.send((result, error, peak_mb() - before))
