"""Learning from tables larger than memory: seconds, peak memory, growth, workers, and what else.

    python tests/benchmarks/bench_large.py growth [--rows 5 10 20 50] [--folder DIR]
    python tests/benchmarks/bench_large.py workers [--rows 10] | others [--rows 5] | memory

Rows are in millions, made up and written once to a folder (a temporary one by default): 30 columns
of float32, one row in 10,000 positive, as parquet files of a million rows. `growth` fits RLSD and
Fast Boxes for each number of rows, beside a loop that only reads the same files with pyarrow, and
says on paper what a billion rows would take on 1, 10 and 100 workers at that rate. `workers` fits
on two worker processes of Dask and on one. `others` compares with LightGBM and XGBoost (external
memory), where they are installed, and with scikit-learn's SGDClassifier by `partial_fit`: seconds,
peak memory, and the share of the positives among 0.1 % of new rows inspected. `memory` compares
fits of rows in memory with those of another version: `--other path/to/lib`.

Each measurement is a process of its own.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from hashlib import sha256
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

MILLION, FEATURES, ONE_IN = 1_000_000, 30, 10_000
NAMES = [f"v{j:02}" for j in range(FEATURES)]


def make_part(number, n_rows=MILLION, one_in=ONE_IN):
    """Noise, in which each positive is shifted in one of five groups of four features."""
    rng = np.random.default_rng([7, number])
    X = rng.standard_normal((FEATURES, n_rows), dtype=np.float32)
    y = np.zeros(n_rows, dtype=np.int8)
    positive = rng.choice(n_rows, n_rows // one_in, replace=False)
    y[positive] = 1
    group = rng.integers(0, 5, len(positive))
    for offset in range(4):
        X[(4 * group + offset) % FEATURES, positive] += 2
    return X, y


def write_parts(folder, millions, n_rows):
    """Files of the first so many million rows, and one of new rows; made if they are not there."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(-1, millions):
        file = folder / (f"{number:03}.parquet" if number >= 0 else "_new.parquet")
        if file.exists():
            continue
        X, y = make_part(abs(number) + (number < 0) * 1000, n_rows)
        table = pa.table([*map(pa.array, X), pa.array(y)], names=[*NAMES, "fraud"])
        part = file.with_suffix(".part")
        # Uncompressed: noise does not get smaller.
        pq.write_table(table, part, row_group_size=2**18, compression="none", use_dictionary=False)
        part.rename(file)


def parts_of(folder, millions):
    return [str(Path(folder) / f"{number:03}.parquet") for number in range(millions)]


def dataset_of(folder, millions):
    import pyarrow.dataset as ds

    return ds.dataset(parts_of(folder, millions), format="parquet")


def make_learner(name, **options):
    from minority import FastBoxesClassifier, RLSDClassifier

    options |= {"random_state": 0}
    return {
        "rlsd": lambda: RLSDClassifier(max_rules=20_000, **options),
        "boxes": lambda: FastBoxesClassifier(n_clusters=5, n_init=3, **options),
    }[name]()


def compile_all():
    import pandas as pd
    import pyarrow as pa
    import pyarrow.dataset as ds

    X, y = make_part(0, 50_000, one_in=1000)
    frame = pd.DataFrame(X.T, columns=NAMES).assign(fraud=y)
    dataset = ds.dataset(pa.Table.from_pandas(frame))
    for name in ("rlsd", "boxes"):
        model = make_learner(name).fit(dataset, "fraud")
        list(model.predict(dataset))


# ------------------------------------------------------- what a process of its own measures


def read(args):
    """Read all columns and do nothing with them."""
    n_rows = 0
    for batch in dataset_of(args.folder, args.millions).to_batches(batch_readahead=2):
        n_rows += batch.num_rows
    return {"rows": n_rows}


def fit(args):
    model = make_learner(args.learner, n_jobs=args.n_jobs)
    model.fit(dataset_of(args.folder, args.millions), "fraud")
    return {"model": model.to_text()}


def fit_dask(args):
    import dask
    import dask.dataframe as dd
    from distributed import Client, LocalCluster

    dask.config.set({"dataframe.convert-string": False})
    options = {"n_workers": args.workers, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        client.run(compile_all)
        frame = dd.read_parquet(parts_of(args.folder, args.millions), split_row_groups=False)
        start = perf_counter()
        model = make_learner(args.learner).fit(frame, "fraud")
        return {"seconds": perf_counter() - start, "model": model.to_text()}


def recall_of(score, args):
    """Share of the positives among the 0.1 % of new rows with the highest scores."""
    import pandas as pd

    new = pd.read_parquet(Path(args.folder) / "_new.parquet")
    y, found = new["fraud"].to_numpy(), score(new[NAMES])
    first = np.argsort(-found, kind="stable")[: len(y) // 1000]
    return float(y[first].sum() / y.sum())


def ours(args):
    start = perf_counter()
    model = make_learner(args.learner, n_jobs=args.n_jobs)
    model.fit(dataset_of(args.folder, args.millions), "fraud")
    seconds = perf_counter() - start
    proba = lambda X: model.predict_proba(X)[:, 1]  # noqa: E731
    score = model.decision_function if args.learner == "boxes" else proba
    return {"seconds": seconds, "recall": recall_of(score, args)}


def sgd(args):
    from sklearn.linear_model import SGDClassifier

    start = perf_counter()
    model = SGDClassifier(loss="log_loss", random_state=0, average=True)
    weight = np.array([1.0, ONE_IN - 1])
    for batch in dataset_of(args.folder, args.millions).to_batches(batch_readahead=2):
        frame = batch.to_pandas()
        X, y = frame[NAMES].to_numpy(), frame["fraud"].to_numpy()
        model.partial_fit(X, y, classes=[0, 1], sample_weight=weight[y])
    seconds = perf_counter() - start
    score = lambda X: model.decision_function(X.to_numpy())  # noqa: E731
    return {"seconds": seconds, "recall": recall_of(score, args)}


def lightgbm(args):
    import lightgbm
    import pyarrow.parquet as pq

    class File(lightgbm.Sequence):
        """Rows of a file, kept as they are: LightGBM reads them at random for its bins."""

        batch_size = 2**16

        def __init__(self, file):
            self._table = pq.read_table(file, columns=NAMES, memory_map=True)

        def __getitem__(self, rows):
            if isinstance(rows, slice):
                part = self._table.slice(rows.start or 0, (rows.stop or 0) - (rows.start or 0))
                return part.to_pandas().to_numpy(dtype=np.float64)
            return np.array([column[rows].as_py() for column in self._table.columns])

        def __len__(self):
            return self._table.num_rows

    start = perf_counter()
    files = parts_of(args.folder, args.millions)
    y = np.concatenate([pq.read_table(f, columns=["fraud"])["fraud"].to_numpy() for f in files])
    options = {"objective": "binary", "is_unbalance": True, "num_threads": args.n_jobs, "seed": 0}
    data = lightgbm.Dataset([File(f) for f in files], y, params={"verbose": -1})
    model = lightgbm.train(options | {"verbose": -1}, data, num_boost_round=100)
    seconds = perf_counter() - start
    return {"seconds": seconds, "recall": recall_of(lambda X: model.predict(X.to_numpy()), args)}


def xgboost(args):
    import pyarrow.parquet as pq
    import xgboost

    files = parts_of(args.folder, args.millions)

    class Files(xgboost.DataIter):
        def __init__(self, cache):
            super().__init__(cache_prefix=cache)
            self._next = 0

        def next(self, input_data):
            if self._next == len(files):
                return False
            frame = pq.read_table(files[self._next]).to_pandas()
            input_data(data=frame[NAMES].to_numpy(), label=frame["fraud"].to_numpy())
            self._next += 1
            return True

        def reset(self):
            self._next = 0

    with tempfile.TemporaryDirectory() as cache:
        start = perf_counter()
        data = xgboost.ExtMemQuantileDMatrix(Files(str(Path(cache) / "rows")), nthread=args.n_jobs)
        options = {"objective": "binary:logistic", "scale_pos_weight": ONE_IN - 1, "seed": 0}
        options |= {"nthread": args.n_jobs, "tree_method": "hist"}
        model = xgboost.train(options, data, num_boost_round=100)
        seconds = perf_counter() - start
    score = lambda X: model.predict(xgboost.DMatrix(X.to_numpy()))  # noqa: E731
    return {"seconds": seconds, "recall": recall_of(score, args)}


def in_memory(args):
    """Processor's seconds of fits of rows in memory, best of three, and a digest of the models."""
    from minority import FastBoxesClassifier, RLSDClassifier

    X, y = make_part(0, 200_000, one_in=2000)
    X, digests, found = np.ascontiguousarray(X.T), [], {}
    for name, model in {
        "rlsd": RLSDClassifier(random_state=0),
        "boxes": FastBoxesClassifier(n_clusters=5, n_init=3, random_state=0),
    }.items():
        for rows in (slice(20_000), slice(None)):
            seconds = []
            for _ in range(3 if rows.stop is None else 5):
                start = process_time()
                model.fit(X[rows], y[rows])
                seconds.append(process_time() - start)
            found[f"{name} {len(y[rows]):,}"] = min(seconds)
            digests += [model.to_text(), model.predict_proba(X[:50_000]).tobytes().hex()]
    return found | {"digest": sha256("".join(digests).encode()).hexdigest()}


def measure(what, args, lib=None, **changes):
    """Seconds, peak memory in GB, and whatever a function says, in a process of its own."""
    options = {"learner": args.learner, "n_jobs": args.n_jobs, "folder": args.folder, **changes}
    command = [sys.executable, __file__, "one", "--what", what]
    for name, value in options.items():
        command += [f"--{name.replace('_', '-')}", str(value)]
    lib = lib or Path(__file__).resolve().parents[2] / "lib"
    places = [str(Path(lib).resolve()), os.environ.get("PYTHONPATH", "")]
    variables = os.environ | {"PYTHONPATH": os.pathsep.join(places)}
    answer = subprocess.run(command, env=variables, capture_output=True, text=True)
    if answer.returncode:
        return {"failed": answer.stderr.strip().splitlines()[-1]}
    return json.loads(answer.stdout.splitlines()[-1])


def one(args):
    if args.what in ("fit", "fit_dask", "ours"):
        compile_all()
    start = perf_counter()
    found = globals()[args.what](args)
    seconds = perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(json.dumps({"seconds": seconds, "peak": peak} | found))


# --------------------------------------------------------------------------- the parts


def growth(args):
    print("million rows   reading   RLSD: s, GB, M rows/s   Fast Boxes: s, GB, M rows/s")
    for n in args.rows:
        nothing = measure("read", args, millions=n)
        line = [f"{n:>12}  {nothing['seconds']:>6.1f} s"]
        for learner in ("rlsd", "boxes"):
            found = measure("fit", args, learner=learner, millions=n)
            rate = n / found["seconds"]
            line.append(f"{found['seconds']:>7.1f} s {found['peak']:.2f} GB {rate:.2f} M/s")
            for workers in (1, 10, 100) if n == max(args.rows) else ():
                hours = 1000 / rate / workers / 3600
                print(f"{'':>12}  {learner}: on paper 1 billion rows, {workers} x: {hours:.2f} h")
        print("   ".join(line), flush=True)


def workers(args):
    for learner in ("rlsd", "boxes"):
        found = {
            n: measure("fit_dask", args, learner=learner, millions=max(args.rows), workers=n)
            for n in (1, 2)
        }
        if any("failed" in each for each in found.values()):
            print(learner, found)
            continue
        ratio = found[1]["seconds"] / found[2]["seconds"]
        equal = "equal" if found[1]["model"] == found[2]["model"] else "different"
        print(
            f"{learner}, {max(args.rows)} million rows: 1 worker {found[1]['seconds']:.1f} s, "
            f"2 workers {found[2]['seconds']:.1f} s, ratio {ratio:.2f}; models are {equal}",
            flush=True,
        )


def others(args):
    print(f"{max(args.rows)} million rows           seconds  peak GB  recall at 0.1 % inspected")
    for name, what, learner in (
        ("RLSD", "ours", "rlsd"),
        ("Fast Boxes", "ours", "boxes"),
        ("SGD, partial_fit", "sgd", "rlsd"),
        ("LightGBM", "lightgbm", "rlsd"),
        ("XGBoost, external memory", "xgboost", "rlsd"),
    ):
        found = measure(what, args, learner=learner, millions=max(args.rows))
        if "failed" in found:
            print(f"{name:<26} {found['failed']}")
            continue
        print(
            f"{name:<26}{found['seconds']:>8.1f}{found['peak']:>9.2f}{found['recall']:>9.3f}",
            flush=True,
        )


def memory(args):
    found = [measure("in_memory", args, lib=lib) for lib in (args.other, None)]
    if any("failed" in each for each in found):
        sys.exit(str(found))
    for name in found[0]:
        if name not in ("digest", "seconds", "peak"):
            other, this = (each[name] for each in found)
            print(f"{name:<15} {other:.3f} / {this:.3f} s = {other / this:.2f}")
    equal = "equal" if found[0]["digest"] == found[1]["digest"] else "different"
    print(f"models are {equal}; peak {found[0]['peak']:.2f} / {found[1]['peak']:.2f} GB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parts = {f.__name__: f for f in (growth, workers, others, memory, one)}
    parser.add_argument("part", choices=parts)
    parser.add_argument("--rows", type=int, nargs="+", default=[5, 10, 20, 50], help="millions")
    parser.add_argument("--folder", default=Path(tempfile.gettempdir()) / "minority-large")
    parser.add_argument("--part-rows", type=int, default=MILLION, help="fewer for a trial")
    parser.add_argument("--n-jobs", type=int, default=2)
    parser.add_argument("--other", help="folder with the packages of another version")
    for name, default in (("what", ""), ("learner", "rlsd"), ("millions", 1), ("workers", 1)):
        parser.add_argument(
            f"--{name}", type=type(default), default=default, help=argparse.SUPPRESS
        )
    args = parser.parse_args()
    if args.part not in ("one", "memory"):
        write_parts(args.folder, max(args.rows), args.part_rows)
    parts[args.part](args)
