"""Tables in batches: the models and the answers of rows in memory."""

import os
from decimal import Decimal
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

pa = pytest.importorskip("pyarrow")
ds = pytest.importorskip("pyarrow.dataset")
pq = pytest.importorskip("pyarrow.parquet")
dask = pytest.importorskip("dask")
dd = pytest.importorskip("dask.dataframe")

from minority import ChiMerge, FastBoxesClassifier, RLSDClassifier  # noqa: E402
from minority._batches import examples, tables  # noqa: E402
from minority.large import ScoredRules, show_progress  # noqa: E402


def learners(k=1):
    return [
        RLSDClassifier(min_recall=0.1, significance=0.3, random_state=0),
        RLSDClassifier(significance=0.05, scored_by="selected", join=False, random_state=0),
        FastBoxesClassifier(n_clusters=k, random_state=0),
        FastBoxesClassifier(
            n_clusters=k, expand=False, scaling="maxabs", nearest="any", random_state=0
        ),
    ]


def make_frame(seed, n, *, float32=False):
    """Rows with a pattern, numbers with gaps, whole numbers, and categories that come late."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"amount": rng.normal(size=n).round(1), "hour": rng.integers(0, 9, n)})
    X["price"] = rng.integers(-99, 99, n) / 10
    if float32:
        return X.astype(np.float32), (X["amount"] > 0.8).to_numpy() & (rng.random(n) < 0.8)
    X["land"] = rng.choice(["AT", "CH"], n)
    X.loc[n - n // 4 :, "land"] = "DE"
    X.loc[rng.random(n) < 0.1, "land"] = None
    X.loc[rng.random(n) < 0.1, "amount"] = np.nan
    return X, ((X["amount"] > 0.8) | (X["hour"] > 7)).to_numpy() & (rng.random(n) < 0.8)


def cut(frame, ends, kind):
    """The same rows as a dataset of pyarrow or as a data frame of Dask."""
    ends = [0, *sorted(ends), len(frame)]
    if kind == "dask":
        # What no batch has is known of the whole.
        parts = [frame.iloc[a:b] for a, b in pairwise(ends)]
        return dd.from_map(lambda k: parts[k], range(len(parts)), meta=frame.iloc[:0])
    table = pa.Table.from_pandas(frame, preserve_index=False)
    if "price" in frame and frame["price"].dtype == np.float64:
        exact = pa.array([Decimal(str(value)) for value in frame["price"]], pa.decimal128(9, 1))
        table = table.set_column(table.column_names.index("price"), "price", exact)
    pieces = [table.slice(a, b - a) for a, b in pairwise(ends)]
    return ds.dataset([ds.dataset(piece) for piece in pieces])


def rows_of(answer):
    return answer.compute() if hasattr(answer, "compute") else np.concatenate(list(answer))


def assert_same(model, expected, table, X):
    """The same model, to the last bit, and the same answers."""
    assert model.to_text() == expected.to_text()
    assert model.to_sql() == expected.to_sql()
    assert model.to_rules() == expected.to_rules()
    np.testing.assert_array_equal(rows_of(model.predict(table)), expected.predict(X))
    np.testing.assert_array_equal(rows_of(model.predict_proba(table)), expected.predict_proba(X))
    hits, all_hits = model.inspect(table, 0.2), expected.inspect(X, 0.2)
    pd.testing.assert_frame_equal(hits, all_hits, check_index_type=False)


@pytest.mark.filterwarnings("ignore:No rule reaches")
@settings(deadline=None, max_examples=20)
@given(st.data(), st.integers(0, 2**32 - 1), st.sampled_from(["arrow", "dask"]), st.booleans())
def test_models_do_not_depend_on_how_rows_are_cut(data, seed, kind, float32):
    """Empty batches, batches of one class, late categories, gaps, whole numbers and decimals."""
    n = data.draw(st.integers(20, 150))
    X, positive = make_frame(seed, n, float32=float32)
    positive[:8] = np.arange(8) < 4
    if data.draw(st.booleans()):  # batches of one class
        order = np.argsort(positive, kind="stable")
        X, positive = X.iloc[order].reset_index(drop=True), positive[order]
    y = pd.Series(np.where(positive, "fraud", "fine"), name="label")
    ends = data.draw(st.lists(st.integers(0, n), max_size=6))
    table = cut(X.assign(label=y), ends, kind)
    with dask.config.set(scheduler="synchronous"):
        learner = data.draw(st.sampled_from(learners(data.draw(st.integers(1, 2)))))
        learner.set_params(pos_label="fraud", n_jobs=data.draw(st.sampled_from([None, 2])))
        expected = learner.fit(X, y)
        model = clone(learner).fit(table, "label")
        assert_same(model, expected, table, X)
        numbers = [name for name in X if name != "land"]
        merged = ChiMerge(significance=0.2, pos_label="fraud").fit(X[numbers], y)
        table = cut(X[numbers].assign(label=y), ends, kind)
        found = ChiMerge(significance=0.2, pos_label="fraud").fit(table, "label")
        for cuts, all_cuts in zip(found.cut_points_, merged.cut_points_, strict=True):
            np.testing.assert_array_equal(cuts, all_cuts)
        codes = rows_of(found.transform(table))
        np.testing.assert_array_equal(codes, merged.transform(X[numbers]))


@settings(deadline=None, max_examples=10)
@given(st.integers(0, 2**32 - 1))
def test_models_do_not_depend_on_the_order_of_rows(seed):
    X, positive = make_frame(seed, 90)
    positive[:8] = np.arange(8) < 4
    frame = X.assign(label=positive)
    shuffled = frame.sample(frac=1, random_state=seed)
    for learner in learners():
        texts = [
            learner.fit(cut(rows, [40], "arrow"), "label").to_text() for rows in (frame, shuffled)
        ]
        assert texts[0] == texts[1]


@pytest.fixture(scope="module")
def example():
    X, positive = make_frame(5, 300)
    return X.assign(fraud=positive.astype(int))


def write(folder, frame, ends=(100, 200), **options):
    """The rows as files of a folder, one of which is in a folder of its own."""
    ends = [0, *ends, len(frame)]
    (folder / "later").mkdir(parents=True)
    for k, (a, b) in enumerate(pairwise(ends)):
        name = f"{k}.parquet" if k < len(ends) - 2 else f"later/{k}.parquet"
        frame.iloc[a:b].to_parquet(folder / name, index=False, **options)
    return folder


def opened(folder):
    return ds.dataset(folder, format="parquet", partitioning="hive")


def test_filters_columns_of_folders_and_small_batches(example, tmp_path, monkeypatch):
    """A dataset is what pyarrow makes of it, and batches are cut within files too."""
    monkeypatch.setattr(tables, "_LEAST_ROWS", 7)
    monkeypatch.setattr(tables, "_BATCH_CELLS", 1)
    for month, rows in example.groupby(example.index // 150):
        write(tmp_path / f"month={month}", rows)
    whole = example.assign(month=(example.index // 150).astype("int32"))
    dataset = opened(tmp_path).filter(ds.field("hour") > 1)
    chosen = whole[whole["hour"] > 1].reset_index(drop=True)
    for learner in learners():
        expected = learner.fit(chosen.drop(columns="fraud"), chosen["fraud"])
        model = clone(learner).fit(dataset, "fraud")
        assert_same(model, expected, dataset, chosen.drop(columns="fraud"))


# Dask's own, of pandas.
@pytest.mark.filterwarnings("ignore:The inplace keyword")
def test_dask_reads_parquet(example, tmp_path):
    frame = dd.read_parquet(write(tmp_path / "rows", example))
    with dask.config.set(scheduler="threads"):
        for learner in learners():
            expected = learner.fit(example.drop(columns="fraud"), example["fraud"])
            model = clone(learner).fit(frame, "fraud")
            assert model.to_text() == expected.to_text()


def test_a_killed_worker_costs_its_part_only(example, tmp_path):
    """Two worker processes, one of which dies while it reads a partition, in a later pass."""
    distributed = pytest.importorskip("distributed")
    ends = [*range(0, 300, 50), 300]
    reads = tmp_path / "reads"
    reads.mkdir()

    def read(k):
        before = len(list(reads.glob(f"{k}-*")))
        (reads / f"{k}-{before}").touch()
        if k == 3 and before == 2:  # passes before: classes, minority
            os._exit(1)
        return example.iloc[ends[k] : ends[k + 1]]

    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with (
        dask.config.set({"distributed.worker.daemon": False}),
        distributed.LocalCluster(**options) as cluster,
        distributed.Client(cluster),
    ):
        frame = dd.from_map(read, range(6), meta=example.iloc[:0])
        model = learners()[0].fit(frame, "fraud")
        found = model.predict(frame).compute()
    X = example.drop(columns="fraud")
    expected = learners()[0].fit(X, example["fraud"])
    assert model.to_text() == expected.to_text()
    np.testing.assert_array_equal(found, expected.predict(X))
    n_reads = [len(list(reads.glob(f"{k}-*"))) for k in range(6)]
    assert n_reads[3] == 7  # five passes, the one that died, predict
    assert sum(n_reads) < 36 + 1 + 4  # the dead worker's finished parts at most are read again


def test_boxes_are_inspected(example):
    X, y = example.drop(columns="fraud"), example["fraud"]
    model = FastBoxesClassifier(n_clusters=2, random_state=0).fit(X, y)
    hits = model.inspect(X, budget=0.5)
    in_boxes = model.predict(X) == 1
    assert 0 < len(hits) == min(150, in_boxes.sum())
    np.testing.assert_array_equal(hits["score"], model.predict_proba(X.loc[hits.index])[:, 1])
    assert hits["score"].is_monotonic_decreasing
    rules = model.to_rules().rules
    for number, rows in hits.groupby("rule"):
        assert rules[number - 1].covers(X.loc[rows.index]).all()
        assert rows["conditions"].unique().tolist() == [rules[number - 1].conditions_text()]
    with pytest.raises(ValueError, match="budget must be a share"):
        model.inspect(X, budget=0)


def test_progress_bars_know_the_rows(example, capsys):
    with show_progress():
        RLSDClassifier(random_state=0).fit(cut(example, [50], "arrow"), "fraud")
    told = capsys.readouterr().err
    assert told.count("300/300") == 5  # passes
    RLSDClassifier(random_state=0).fit(cut(example, [50], "arrow"), "fraud")
    assert capsys.readouterr().err == ""


# ------------------------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("lost", lambda t: t.drop_columns("hour"), "1.parquet has no column 'hour'"),
        (
            "text",
            lambda t: t.set_column(1, "hour", t["hour"].cast(pa.string())),
            "1.parquet has the column 'hour' as string, other files have it as int64",
        ),
        (
            "third",
            lambda t: t.set_column(4, "fraud", pa.array([0, 1, 2] * 33 + [0])),
            "1.parquet: The target 'fraud' has more than two values: 0, 1, 2",
        ),
        (
            "gap",
            lambda t: t.set_column(4, "fraud", pa.array([None] + [0] * 99, pa.int64())),
            "1.parquet: 1 rows miss a value of the target 'fraud'",
        ),
        (
            "infinite",
            lambda t: t.set_column(0, "amount", pa.array([np.inf] * 100)),
            "1.parquet: Column 'amount' has an infinite value",
        ),
    ],
)
def test_errors_name_the_file(example, tmp_path, name, change, message):
    folder = write(tmp_path / name, example)
    table = pq.read_table(folder / "1.parquet")
    pq.write_table(change(table), folder / "1.parquet")
    for learner in (RLSDClassifier(), FastBoxesClassifier()):
        with pytest.raises(ValueError, match=message):
            learner.fit(opened(folder), "fraud")


@pytest.mark.parametrize("damage", ["truncated", "pages"])
def test_a_file_that_cannot_be_read_is_named(example, tmp_path, damage):
    folder = write(tmp_path / "rows", example)
    whole = bytearray((folder / "1.parquet").read_bytes())
    if damage == "truncated":
        whole = whole[: len(whole) // 2]
    else:
        whole[4:500] = b"\xff" * 496
    (folder / "1.parquet").write_bytes(bytes(whole))
    with pytest.raises(ValueError, match=r"1\.parquet cannot be read: "):
        RLSDClassifier().fit(opened(folder), "fraud")


def test_no_positive_in_any_file(example, tmp_path):
    folder = write(tmp_path / "rows", example.assign(fraud=0))
    with pytest.raises(
        ValueError, match=r"3 files \(the first is .*0\.parquet\), column.*one class"
    ):
        RLSDClassifier().fit(opened(folder), "fraud")


def test_bad_targets_columns_and_options(example, monkeypatch):
    table = cut(example, [], "arrow")
    with pytest.raises(ValueError, match="has no column 'frauds'; it has amount"):
        RLSDClassifier().fit(table, "frauds")
    with pytest.raises(ValueError, match="y has to be the name of the column"):
        RLSDClassifier().fit(table, example["fraud"])
    with pytest.raises(ValueError, match="pos_label=7 is not among the classes"):
        RLSDClassifier(pos_label=7).fit(table, "fraud")
    with pytest.raises(ValueError, match="classic version of ChiMerge"):
        RLSDClassifier(discretisation="classic").fit(table, "fraud")
    with pytest.raises(ValueError, match="sample_weight needs all rows in memory"):
        FastBoxesClassifier().fit(table, "fraud", sample_weight=np.ones(300))
    with pytest.raises(ValueError, match="expand='largest' needs all rows in memory"):
        FastBoxesClassifier(expand="largest").fit(table, "fraud")
    with pytest.raises(ValueError, match="'land' has values of type"):
        ChiMerge().fit(table, "fraud")
    with pytest.raises(ValueError, match="Column 'when' has Timestamp"):
        when = example.assign(when=pd.Timestamp("2026-01-01"))
        RLSDClassifier().fit(cut(when, [], "arrow"), "fraud")
    with pytest.raises(ValueError, match="more than two values"):
        RLSDClassifier().fit(cut(example, [], "dask"), "hour")
    with pytest.raises(ValueError, match="has no rows"):
        RLSDClassifier().fit(cut(example.iloc[:0], [], "dask"), "fraud")
    model = RLSDClassifier(random_state=0).fit(table, "fraud")
    with pytest.raises(ValueError, match="has no column 'hour'"):
        list(model.predict(cut(example.drop(columns="hour"), [], "arrow")))
    with pytest.raises(ValueError, match="which knows no names"):
        by_place = RLSDClassifier(random_state=0).fit(example[["hour"]].to_numpy(), example.fraud)
        list(by_place.predict(table))
    monkeypatch.setattr(examples, "_MOST_CATEGORIES", 2)
    with pytest.raises(ValueError, match="Column 'land' has more than 2 categories"):
        RLSDClassifier().fit(cut(example, [100], "arrow"), "fraud")


def test_a_minority_too_large_for_memory_is_said_with_its_number(example, monkeypatch):
    monkeypatch.setattr(tables, "_memory", lambda: 1000)
    n = int(example["fraud"].sum())
    with pytest.raises(ValueError, match=f"minority of {n} rows would take"):
        RLSDClassifier().fit(cut(example, [], "arrow"), "fraud")


def test_scored_rules_are_those_of_known_models(example):
    with pytest.raises(TypeError, match="got ChiMerge"):
        ScoredRules.of(ChiMerge().fit(example[["hour"]], example["fraud"]))
