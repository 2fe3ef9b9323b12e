"""Learning from tables larger than memory: seconds, peak memory, growth, workers, and what else.

    python tests/benchmarks/bench_large.py all --save
    python tests/benchmarks/bench_large.py growth|workers|others [--rows 5 10 20 50] [--folder DIR]
    python tests/benchmarks/bench_large.py memory --other path/to/another/lib

Rows are in millions, made up and written once to a folder (by default a temporary one, which is
removed at the end): 30 columns of float32, one row in 10,000 positive, as parquet files of a
million rows. `growth` fits RLSD and Fast Boxes for each number of rows, beside a loop that only
reads the same files with pyarrow, and says on paper what a billion rows would take on 1, 10 and 100
workers. `workers` fits on two worker processes of Dask and on one, of one thread each, on 10
million rows. `others` compares on 5 million rows with LightGBM and XGBoost (external memory), where
they are installed, and with scikit-learn's SGDClassifier by `partial_fit`: seconds, peak memory,
and the share of the positives among 0.1 % of three million new rows inspected. `all` is these
three; --save writes what they found to data/results/large_tables.csv, and how busy the machine was
before. `memory` compares fits of rows in memory with those of another version.

The rows: every column is standard normal noise. Half of the positives, in turn, fulfil one of three
conjunctions of four conditions each, ``v > 1`` or ``v < -1`` on columns of their own, within which
they are as other rows are; the other half are like any row. So 0.06 % of all rows fulfil each
conjunction, and 2.6 % of these are positive, which is what the paper says of its rules (1 % to 5 %,
of bad examples that are 0.01 % to 0.05 %). No method can expect to find more than 26 % of the
positives among 0.1 % of the rows. The generator was fixed before any method saw its rows.

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
import pandas as pd
from scipy.special import ndtr, ndtri

MILLION, FEATURES, ONE_IN = 1_000_000, 30, 10_000
NAMES = [f"v{j:02}" for j in range(FEATURES)]
RULES, CONDITIONS = 3, 4  # planted conjunctions, and of how many conditions
NEW = 3  # millions of rows that are inspected
FILE = Path(__file__).resolve().parents[2] / "data" / "results" / "large_tables.csv"
#: More processes than this that want a core, before ours start, make the measurement a shared one.
QUIET = 0.5
LEARNERS = {"rlsd": "RLSD", "boxes": "Fast Boxes"}


def make_part(number, n_rows=MILLION, one_in=ONE_IN):
    """Rows of which half of the positives fulfil one of three conjunctions, see above."""
    rng = np.random.default_rng([7, number])
    X = rng.standard_normal((FEATURES, n_rows), dtype=np.float32)
    y = np.zeros(n_rows, dtype=np.int8)
    positive = rng.choice(n_rows, n_rows // one_in, replace=False)
    y[positive] = 1
    for rule in range(RULES):
        own = positive[2 * rule :: 2 * RULES]
        for k in range(CONDITIONS):
            # Normal, given that it is above 1.
            beyond = ndtri(1 - rng.uniform(0, ndtr(-1), len(own)))
            X[rule * CONDITIONS + k, own] = beyond if k % 2 else -beyond
    return X, y


def write_parts(folder, millions, n_rows):
    """Files of the first so many million rows, and of new rows; made if they are not there."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    Path(folder).mkdir(parents=True, exist_ok=True)
    numbers = {name: k for k, name in enumerate(parts_of(folder, millions))}
    numbers |= {name: 1000 + k for k, name in enumerate(parts_of(folder, NEW, "new-"))}
    for name, number in numbers.items():
        if Path(name).exists():
            continue
        X, y = make_part(number, n_rows)
        table = pa.table([*map(pa.array, X), pa.array(y)], names=[*NAMES, "fraud"])
        part = Path(name).with_suffix(".part")
        # Uncompressed: noise does not get smaller.
        pq.write_table(table, part, row_group_size=2**18, compression="none", use_dictionary=False)
        part.rename(name)


def parts_of(folder, millions, kind=""):
    return [str(Path(folder) / f"{kind}{number:03}.parquet") for number in range(millions)]


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
    y, found = [], []
    for file in parts_of(args.folder, NEW, "new-"):
        new = pd.read_parquet(file)
        y.append(new["fraud"].to_numpy())
        found.append(score(new[NAMES]))
    y, found = np.concatenate(y), np.concatenate(found)
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
        """Rows of a file. LightGBM goes through the files in order, so one of them is held."""

        batch_size = 2**16
        held = (None, None)

        def __init__(self, file):
            self._file = file

        def __getitem__(self, rows):
            if File.held[0] != self._file:
                File.held = self._file, pd.read_parquet(self._file, columns=NAMES).to_numpy()
            return File.held[1][rows].astype(np.float64)

        def __len__(self):
            return pq.read_metadata(self._file).num_rows

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


def row(part, method, millions, found, **more):
    """A row of the table, which is printed too."""
    entry = {"part": part, "method": method, "million_rows": millions, "workers": ""}
    entry |= {"seconds": found.get("seconds", np.nan), "peak_gb": found.get("peak", np.nan)}
    entry |= {"recall": found.get("recall", np.nan), "note": found.get("failed", ""), **more}
    told = f"{entry['seconds']:8.1f} s {entry['peak_gb']:5.2f} GB {millions} million rows"
    workers = f", {entry['workers']} workers" if entry["workers"] else ""
    recall = f", recall {found['recall']:.3f}" if "recall" in found else ""
    print(f"{part:<9}{method:<25}{told}{workers}{recall} {entry['note']}", flush=True)
    return entry


def growth(args):
    for n in args.rows:
        yield row("growth", "reading only", n, measure("read", args, millions=n))
        for learner, name in LEARNERS.items():
            found = measure("fit", args, learner=learner, millions=n)
            yield row("growth", name, n, found)
            for workers in (1, 10, 100) if n == max(args.rows) and "failed" not in found else ():
                reckoned = {"seconds": found["seconds"] * 1000 / n / workers}
                yield row("on paper", name, 1000, reckoned, workers=workers)


def workers(args):
    millions = min(10, max(args.rows))
    for learner, name in LEARNERS.items():
        models = set()
        for n in (1, 2):
            found = measure("fit_dask", args, learner=learner, millions=millions, workers=n)
            models.add(found.get("model"))
            # The peak would be that of the client, not of the workers.
            yield row("workers", name, millions, found | {"peak": np.nan}, workers=n)
        if len(models) > 1:
            sys.exit(f"{name}: the models differ by the number of workers.")


def others(args):
    millions = min(5, max(args.rows))
    for name, what, learner in (
        ("RLSD", "ours", "rlsd"),
        ("Fast Boxes", "ours", "boxes"),
        ("SGD, partial_fit", "sgd", "rlsd"),
        ("LightGBM", "lightgbm", "rlsd"),
        ("XGBoost, external memory", "xgboost", "rlsd"),
    ):
        found = measure(what, args, learner=learner, millions=millions)
        yield row("others", name, millions, found)


def measure_all(args):
    load = os.getloadavg()[0]
    shared = f"machine shared, load {load:.1f} before"
    found = []
    for name in ("growth", "workers", "others") if args.part == "all" else [args.part]:
        found.extend(parts[name](args))
    table = pd.DataFrame(found)
    is_shared = (table["part"] != "on paper") & (table["note"] == "")
    table.loc[is_shared, "note"] = shared if load > QUIET else "machine quiet before"
    if args.save:
        digits = {"seconds": 1, "peak_gb": 2, "recall": 3}
        table.round(digits).to_csv(FILE, index=False)


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
    parser.add_argument("part", choices=["all", *parts])
    parser.add_argument("--rows", type=int, nargs="+", default=[5, 10, 20, 50], help="millions")
    parser.add_argument("--folder", help="of the rows, which stay there; else a temporary one")
    parser.add_argument("--part-rows", type=int, default=MILLION, help="fewer for a trial")
    parser.add_argument("--n-jobs", type=int, default=2)
    parser.add_argument("--save", action="store_true", help=f"write {FILE.name}")
    parser.add_argument("--other", help="folder with the packages of another version")
    for name, default in (("what", ""), ("learner", "rlsd"), ("millions", 1), ("workers", 1)):
        parser.add_argument(
            f"--{name}", type=type(default), default=default, help=argparse.SUPPRESS
        )
    args = parser.parse_args()
    if args.save and (args.part != "all" or args.part_rows != MILLION):
        parser.error("--save is for all parts, on files of a million rows")
    if args.part in ("one", "memory"):
        parts[args.part](args)
    else:
        with tempfile.TemporaryDirectory(prefix="minority-large-") as temporary:
            args.folder = args.folder or temporary
            write_parts(args.folder, max(args.rows), args.part_rows)
            measure_all(args)
