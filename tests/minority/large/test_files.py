"""Rules as files, hits as folders, and the command line."""

import json
import os
import sqlite3

import numpy as np
import pandas as pd
import pytest

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
ds = pytest.importorskip("pyarrow.dataset")

from minority import FastBoxesClassifier, RLSDClassifier  # noqa: E402
from minority.large import ScoredRules, _hits, load_rules, save_rules, write_hits  # noqa: E402
from minority.large.__main__ import main  # noqa: E402

FEATURES = ["amount", "hour", "land"]


def make_rows(n=400):
    rng = np.random.default_rng(3)
    rows = pd.DataFrame({"id": np.arange(n), "amount": rng.normal(size=n).round(1)})
    rows["hour"] = rng.integers(0, 9, n)
    rows["land"] = rng.choice(["AT", "CH", "D'E"], n)
    rows.loc[::17, "amount"] = np.nan
    rows.loc[::19, "land"] = None
    return rows.assign(fraud=((rows["amount"] > 0.8) & (rows["land"] != "CH")).astype(int))


@pytest.fixture(scope="module")
def rows():
    return make_rows()


@pytest.fixture
def folder(rows, tmp_path):
    """Four files, one of them in a folder, one without a row."""
    folder = tmp_path / "transactions"
    for name, part in {
        "a.parquet": rows[:150],
        "b.parquet": rows[:0],
        "c.parquet": rows[150:200],
        "year=2026/d.parquet": rows[200:],
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        schema = pa.Schema.from_pandas(rows, preserve_index=False)
        pq.write_table(pa.Table.from_pandas(part, schema, preserve_index=False), folder / name)
    return folder


MODELS = [
    RLSDClassifier(min_recall=0.1, significance=0.3, random_state=0),
    RLSDClassifier(significance=0.05, scored_by="selected", random_state=0),
    FastBoxesClassifier(n_clusters=3, random_state=0),
]


@pytest.fixture(params=MODELS, ids=["qualified", "selected", "boxes"])
def model(request, rows):
    return request.param.fit(rows[FEATURES], rows["fraud"])


def test_rules_read_back_are_the_same(model, rows, tmp_path):
    save_rules(model, tmp_path / "rules.json", target="fraud")
    rules = load_rules(tmp_path / "rules.json")
    assert rules == ScoredRules.of(model, target="fraud")
    assert rules.facts["target"] == "fraud"
    assert str(rules) == model.to_text()
    X = make_rows(1000)[FEATURES]
    X.loc[5, "land"] = "never seen"
    np.testing.assert_array_equal(rules.predict(X), model.predict(X))
    pd.testing.assert_frame_equal(rules.inspect(X, 0.3), model.inspect(X, 0.3))
    X32 = X[:50].astype({"amount": np.float32})
    pd.testing.assert_frame_equal(rules.inspect(X32, 0.3), model.inspect(X32, 0.3))
    assert os.listdir(tmp_path) == ["rules.json"]  # no part is left


def test_sql_of_the_file_selects_the_hits(model, rows, tmp_path):
    save_rules(model, tmp_path / "rules.json")
    record = json.loads((tmp_path / "rules.json").read_text())
    with sqlite3.connect(":memory:") as database:
        rows.to_sql("transactions", database, index=False)
        query = f"SELECT id FROM transactions WHERE {record['sql']} = 1"
        found = pd.read_sql(query, database)["id"]
        predicted = rows["id"][model.predict(rows[FEATURES]) == 1]
        assert found.tolist() == predicted.tolist()
        left = set(rows["id"])
        hits = model.inspect(rows[FEATURES], 1.0)
        for entry in record["scores"]:
            query = f"SELECT id FROM transactions WHERE {entry['sql']}"
            own = left & set(pd.read_sql(query, database)["id"])
            left -= own
            assert (hits["score"].loc[list(own)] == entry["score"]).all()
            assert (hits["conditions"].loc[list(own)] == entry["reason"]).all()
        assert left == set(rows["id"]) - set(hits.index)


def test_files_that_hold_no_rules(tmp_path):
    for text in ("{", "[]", '{"format": "another"}', '{"format": "rules of minority, version 1"}'):
        (tmp_path / "rules.json").write_text(text)
        with pytest.raises(ValueError, match=r"rules\.json holds no rules"):
            load_rules(tmp_path / "rules.json")


@pytest.mark.parametrize("budget", [0.003, 0.05, 0.11, 1.0])
def test_hits_are_the_rows_of_inspect(model, rows, folder, tmp_path, budget):
    found = write_hits(model, folder, tmp_path / "hits", budget=budget)
    hits = ds.dataset(tmp_path / "hits", partitioning="hive").to_table().to_pandas()
    expected = model.inspect(rows[FEATURES], budget)
    assert found == (len(rows), len(expected)) == (400, len(hits))
    hits = hits.set_index("id").loc[expected.index]
    for name, column in {"score": "score", "rule": "rule", "reason": "conditions"}.items():
        assert hits[name].tolist() == expected[column].tolist()
    for name in ("a.parquet", "c.parquet", "year=2026/d.parquet"):
        own = pq.read_table(tmp_path / "hits" / name, partitioning=None).to_pandas()
        assert own["score"].is_monotonic_decreasing
        assert own["id"].isin(hits.index).all()


def test_an_interrupted_inspection_goes_on(model, folder, tmp_path, monkeypatch):
    """By file: what is written stays, what is not is written, and nothing is there by half."""
    whole, output, n_read = tmp_path / "whole", tmp_path / "hits", []
    write_hits(model, folder, whole, budget=0.1)

    def interrupted(rules, dataset, *args):
        n_read.append(dataset.files[0])
        if len(n_read) == 3:
            raise KeyboardInterrupt
        return original(rules, dataset, *args)

    for name in ("_count_levels", "_write_hits"):
        original = getattr(_hits, name)
        n_read.clear()
        with monkeypatch.context() as patch:
            patch.setattr(_hits, name, interrupted)
            with pytest.raises(KeyboardInterrupt):
                write_hits(model, folder, output, budget=0.1)
        before = {f: f.stat().st_mtime_ns for f in output.rglob("*") if f.is_file()}
        assert not [f for f in before if f.name.endswith(".part")]
    write_hits(model, folder, output, budget=0.1)
    assert all(f.stat().st_mtime_ns == time for f, time in before.items())
    for file in whole.rglob("*.parquet"):
        assert pq.read_table(file).equals(pq.read_table(output / file.relative_to(whole)))
    with pytest.raises(ValueError, match="hits of other rules, other files or another budget"):
        write_hits(model, folder, output, budget=0.2)
    (folder / "a.parquet").touch()
    with pytest.raises(ValueError, match="hits of other rules, other files"):
        write_hits(model, folder, output, budget=0.1)


def test_hits_of_bad_folders(model, rows, folder, tmp_path):
    output = tmp_path / "hits"
    with pytest.raises(ValueError, match="budget must be a share"):
        write_hits(model, folder, output, budget=0)
    with pytest.raises(FileNotFoundError, match="no folder"):
        write_hits(model, tmp_path / "absent", output)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="no parquet file in"):
        write_hits(model, tmp_path / "empty", output)
    with pytest.raises(ValueError, match="is not empty and has no hits"):
        write_hits(model, folder, folder)
    (tmp_path / "clash").mkdir()
    rows.assign(score=1).to_parquet(tmp_path / "clash" / "a.parquet")
    with pytest.raises(ValueError, match="has a column 'score' already"):
        write_hits(model, tmp_path / "clash", output)
    (folder / "c.parquet").write_bytes((folder / "c.parquet").read_bytes()[:300])
    with pytest.raises(ValueError, match=r"c\.parquet cannot be read"):
        write_hits(model, folder, output)
    assert not output.exists()


@pytest.mark.parametrize("learner", ["rlsd", "boxes"])
def test_learn_and_inspect_from_the_command_line(rows, folder, tmp_path, capsys, learner):
    file, output = tmp_path / "rules.json", tmp_path / "hits"
    options = ["--target", "fraud", "--model", str(file), "--leave-out", "id,year"]
    name, value = ("min_recall", "0.2") if learner == "rlsd" else ("n_clusters", "2")
    main(["learn", str(folder), *options, "--learner", learner, "--set", name, value])
    kind = RLSDClassifier if learner == "rlsd" else FastBoxesClassifier
    model = kind(**{name: json.loads(value)}, random_state=0).fit(rows[FEATURES], rows["fraud"])
    assert capsys.readouterr().out.startswith(model.to_text())
    assert load_rules(file).facts["parameters"] == {name: json.loads(value)}
    main(["inspect", str(folder), "--model", str(file), "--budget", "0.1", "--output", str(output)])
    n_hits = len(model.inspect(rows[FEATURES], 0.1))
    assert capsys.readouterr().out == f"{n_hits} of 400 rows to look at: {output}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--target", "frauds"], "has no column 'frauds'; it has id, amount, hour, land"),
        (["--target", "hour"], r"a.parquet: The target 'hour' has more than two values"),
        (["--target", "fraud", "--positive", "2"], "pos_label=2 is not among the classes"),
        (["--target", "fraud", "--leave-out", "day"], "has no column 'day'"),
        (["--target", "fraud", "--set", "min_recall", "2"], "The 'min_recall' parameter"),
        (["--target", "fraud", "--set", "recall", "2"], "has no parameter 'recall'"),
    ],
)
def test_errors_of_the_command_line_are_one_line(folder, tmp_path, arguments, message):
    file = tmp_path / "rules.json"
    with pytest.raises(SystemExit, match=message) as error:
        main(["learn", str(folder), "--model", str(file), *arguments])
    assert "\n" not in str(error.value)
    assert not file.exists()
