"""The showdown on a user's own file: plan, checks of the data, ranking, rules, code, command."""

import io
import re
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import settings as settings_of
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from minority.boxes import BoxSet, FastBoxesClassifier
from minority.rules import Interval
from minority_reports import paths
from minority_reports.datasets import load_file
from minority_reports.experiments import Method, Results, Settings, Store, numeric_coder, run
from minority_reports.papers.showdown import PAPER
from minority_reports.papers.showdown.figures import curves_figure, own_figure
from minority_reports.papers.showdown.own import (
    best_readable,
    data_check,
    own_settings,
    parse_configuration,
    ranked_table,
    remarks,
    snippet,
    standings,
)
from minority_reports.papers.showdown.own.models import in_words, model_of
from minority_reports.papers.showdown.own.plan import (
    ONE_REPEAT_ROWS,
    OWN_TIME_LIMIT,
    THREE_FOLDS_ROWS,
)
from minority_reports.papers.showdown.own.words import Words
from minority_reports.papers.showdown.protocol import (
    CONTESTANTS,
    EXACT_SECONDS,
    METRICS,
    RACE_ROWS,
    configurations,
    describe,
    sample_rows,
)
from minority_reports.statistics import corrected_interval

EXAMPLE = "example_imbalanced.csv"  # a known set has its name without the ending
METHODS = "fast-boxes,rlsd,logistic"


@pytest.fixture
def write(tmp_path):
    """Write columns to a file; every column but those given is noise."""

    def write(positives, n=60, name="my.csv", label=("yes", "no"), **columns):
        rng = np.random.default_rng(0)
        y = np.arange(n) < positives
        table = {"x": rng.normal(size=n) + 2 * y, "z": rng.normal(size=n), **columns}
        labels = np.where(y, *label)
        pd.DataFrame(table).assign(label=labels).to_csv(tmp_path / name, index=False)
        return tmp_path / name

    return write


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "cache", lambda: tmp_path / "cache")
    return tmp_path / "cache"


def settings_for(path, target="label", **changes):
    return Settings(PAPER, datasets=[str(path)], target=target, **changes)


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """The bundled example with cheap contestants: settings, results and the data."""
    with pytest.MonkeyPatch.context() as patch:
        cache = tmp_path_factory.mktemp("cache")
        patch.setattr(paths, "cache", lambda: cache)
        settings, _ = own_settings(
            settings_for(
                paths.bundled() / EXAMPLE,
                "outcome",
                methods=METHODS,
                folds=2,
                repeats=1,
                n_jobs=1,
            )
        )
        results = {key: run(experiment, settings) for key, experiment in PAPER.experiments.items()}
    return settings, results, settings.source(EXAMPLE).load()


def made(**settings):
    """Results from rows that are made up: for each setting measures by method and fold."""
    results = {}
    for setting, methods in settings.items():
        experiment = PAPER.experiments[setting]
        rows = [
            {"dataset": EXAMPLE, "method": method, "setting": setting, "repeat": 0, "fold": fold}
            | {"seed": 0, "version": 1, "data": "0", "status": "ok", "failed": 0}
            | {"configuration": "defaults" if setting == "tuned" else "", "train_rows": 80_000}
            | (measured if isinstance(measured, dict) else {"g_mean": measured})
            for method, folds in methods.items()
            for fold, measured in enumerate(folds)
        ]
        stored = Store.of(experiment, paths.root()).as_stored(rows)
        failed = stored["status"] == "error"
        results[setting] = Results(experiment, stored[~failed], len(rows), 0, stored[failed])
    return results


# The plan.


def test_settings_without_own_files_stay_as_they_are():
    settings = Settings(PAPER, datasets="glass6")
    assert own_settings(settings) == (settings, [])


def test_a_small_file_gets_all_folds_and_a_time_limit(write):
    settings, left_out = own_settings(settings_for(write(12)))
    assert (settings.repeats, settings.folds, settings.time_limit) == (0, 0, OWN_TIME_LIMIT)
    assert len(left_out) == 1 and f"more than {OWN_TIME_LIMIT:g} s" in left_out[0]
    assert set(settings.own) == {"my"}, "and the file is still known"


def test_a_large_file_gets_one_repeat_and_what_is_sampled_is_said(write):
    path = write(300, n=3 * ONE_REPEAT_ROWS)
    given = settings_for(path)
    settings, left_out = own_settings(given)
    assert settings.repeats == 1 and given.repeats == 0
    text = " ".join(left_out)
    training = int(0.8 * 3 * ONE_REPEAT_ROWS)
    for contestant in CONTESTANTS.values():
        is_sampled = 0 < contestant.max_rows < training
        assert (f"{contestant.label} {contestant.max_rows:,}" in text) == is_sampled
    assert f"race on a sample of {RACE_ROWS:,} rows" in text
    assert "race" not in " ".join(own_settings(given, tuned=False)[1])
    _, left_out = own_settings(settings_for(path, methods="logistic"))
    assert not any("learn from a sample" in line for line in left_out)


def test_a_very_large_file_gets_three_folds(write):
    settings, left_out = own_settings(settings_for(write(600, n=THREE_FOLDS_ROWS + 1)))
    assert (settings.repeats, settings.folds) == (1, 3)
    assert any("The first 3 of 5 folds" in line for line in left_out)
    settings, _ = own_settings(settings_for(write(600, n=THREE_FOLDS_ROWS)))
    assert (settings.repeats, settings.folds) == (1, 0)


def test_what_the_user_gave_wins(write):
    path = write(300, n=THREE_FOLDS_ROWS + 1)
    given = settings_for(path, repeats=2, folds=4, time_limit=500)
    settings, left_out = own_settings(given)
    assert (settings.repeats, settings.folds, settings.time_limit) == (2, 4, 500)
    assert not any(what in line for line in left_out for what in ("repeat", "first", "stopped"))


@pytest.mark.parametrize(("positives", "positive"), [(4, ""), (56, "yes")])
def test_fewer_rows_of_a_class_than_folds_is_one_clear_error(write, positives, positive):
    with pytest.raises(ValueError, match=r"my\.csv has 4 rows of one class .* at least 5: one in"):
        own_settings(settings_for(write(positives), positive=positive))


def test_infinite_values_are_one_clear_error_before_anything_runs(write):
    path = write(12, ends=np.where(np.arange(60) == 30, -np.inf, np.arange(60)))
    with pytest.raises(ValueError, match=r"my\.csv has infinite values.*: 'ends'\. Leave those"):
        own_settings(settings_for(path))


def test_a_column_called_like_a_coded_category_is_one_clear_error(write):
    path = write(12, c=["a", "b", "d"] * 20, **{"c = a": np.arange(60)})
    with pytest.raises(ValueError, match=r"my\.csv has a column 'c = a', as .* Rename the column"):
        own_settings(settings_for(path))


def test_a_file_that_is_called_like_a_known_set_keeps_its_ending(write):
    settings = settings_for(write(12, name="glass1.csv"))
    assert settings.datasets == ("glass1.csv",) == tuple(settings.own)
    assert settings.source("glass1.csv").load().n == 60


# The data.


def test_data_check_counts():
    data = load_file(paths.bundled() / EXAMPLE, "outcome")
    values = data_check(data).frame["value"]
    assert values["rows"] == "300"
    assert values["positives (outcome=yes)"] == "22 (7.33%)"
    assert (values["… number"], values["… category"]) == ("2", "1")
    assert values["columns with missing values"] == "3"
    assert values["values missing"] == f"{data.X.isna().to_numpy().mean():.2%}"
    assert remarks(data) == []


def remarks_on(path, **options):
    return remarks(load_file(path, "label", **options))


@pytest.mark.parametrize(
    ("make", "warning"),
    [
        (lambda y: np.where(y, 1.0, 0.0), "WARNING: Column 'it' gives the target away"),
        (lambda y: y ^ (np.arange(len(y)) == 1999), "WARNING: Column 'it' gives .*near-copy"),
        (lambda y: np.arange(len(y)), "^Column 'it' looks like an id.*: drop it"),
        (lambda y: [f"u{k}" for k in range(len(y))], "^Column 'it' looks like an id"),
        (lambda y: np.full(len(y), 7), "the same everywhere or empty: 'it'"),
        (lambda y: np.full(len(y), np.nan), "the same everywhere or empty: 'it'"),
        (lambda y: [f"text {k % 200}" for k in range(len(y))], "'it' has 200 different texts"),
        (lambda y: np.where(y, np.inf, np.arange(len(y)) / 7), "'it' has infinite values: most"),
        (lambda y: np.where(np.arange(len(y)) % 3, np.nan, 0.5), "'it' has more than 50 % missing"),
        (lambda y: pd.date_range("2020", periods=len(y)), "'it' holds dates.*drawn at random"),
        (lambda y: [f"${k:,}.00" for k in range(len(y))], "'it': '.1,000.00' is read as 1000"),
        (
            lambda y: [*(f"${k}" for k in range(1, len(y))), "n/k"],
            "'it'.* stays text, as 'n/k' is not one",
        ),
    ],
)
def test_columns_that_deserve_a_look(write, make, warning):
    n = 2000
    path = write(100, n=n, it=make(np.arange(n) < 100))
    (text,) = remarks_on(path)
    assert pd.Series([text]).str.contains(warning).all(), text


def test_dates_that_could_be_read_in_two_ways_are_pointed_out(write):
    days = [f"{1 + k % 12:02}/{1 + k % 7:02}/20{10 + k % 5}" for k in range(60)]
    dates, note = remarks_on(write(20, it=days))
    assert dates.startswith("Column 'it' holds dates")
    assert "no value of the column tells" in note
    values = data_check(load_file(write(20, it=days), "label")).frame["value"]
    assert values["… date"] == "1" and values["… number"] == "2"


def test_few_rows_of_the_minority(write):
    (text,) = remarks_on(write(6))
    assert text.startswith("WARNING: only 6 rows of label=yes, so a test part has at most 2")
    (text,) = remarks_on(write(4))
    assert "cannot be run: it needs at least 5" in text
    assert remarks_on(write(10)) == []


def test_copies_of_rows_and_a_frequent_positive(write):
    path = write(20)
    table = pd.read_csv(path)
    pd.concat([table, table.head(6)]).to_csv(path, index=False)
    (text,) = remarks_on(path)
    assert text.startswith("6 rows (9%) repeat an earlier one")
    (text,) = remarks_on(write(20), positive="no")
    assert text.startswith("label=no is the more frequent class")


# Configurations as text.


@pytest.mark.parametrize("name", CONTESTANTS)
def test_every_configuration_comes_back_from_its_text(name):
    space = CONTESTANTS[name].space
    one_by_one = [{key: value} for key, values in space.items() for value in values]
    for parameters in [*one_by_one, *configurations(space, 0), {}]:
        back = parse_configuration(describe(parameters))
        assert back == parameters
        assert {k: type(v) for k, v in back.items()} == {k: type(v) for k, v in parameters.items()}


def test_text_is_never_run():
    with pytest.raises(ValueError):
        parse_configuration("C=__import__('os').getcwd()")


# The ranking.


def test_ranking_by_g_mean_with_intervals_on_shared_folds():
    results = made(
        defaults={"logistic": [0.8, 0.9, 0.7], "rlsd": [0.7, 0.7, 0.7]},
        tuned={"logistic": [0.9, 0.9, 0.8], "rlsd": [0.8, 0.7, 0.6]},
    )
    frame = standings(results, EXAMPLE)
    entrants = list(zip(frame["method"], frame["setting"], strict=True))
    assert entrants == [
        ("logistic", "tuned"),
        ("logistic", "defaults"),
        ("rlsd", "defaults"),
        ("rlsd", "tuned"),
    ]
    wanted = corrected_interval([-0.1, 0, -0.1], test_share=0.2)
    np.testing.assert_allclose(frame.loc[2, ["difference", "low", "high"]].astype(float), wanted)
    table = ranked_table(results, EXAMPLE)
    assert table.frame["minus the first"].iloc[0] == "–"
    assert set(METRICS.values()) <= set(table.frame)
    assert list(table.bold["G-mean"]) == list(~(frame["high"] < 0))


def test_gaps_are_named_and_come_last():
    stopped = {"status": "time limit", "time_limit": 60}
    failed = {"g_mean": 0.0, "failed": 1, "message": "ValueError: no", "train_rows": 0}
    results = made(
        defaults={
            "logistic": [0.5, 0.5],
            "rlsd": [1.0, stopped],
            "b-svm": [stopped, stopped],
            "wrapper-c45": [{"g_mean": 0.6, "train_rows": 20_000}] * 2,
            "damvi": [0.9, failed],
            "fast-boxes": [0.9],
            "easy-ensemble": [0.8, {"status": "error", "message": "RuntimeError: lost"}],
            "exact-boxes": [stopped | {"g_mean": 0.4}, 0.4],
        }
    )
    frame = standings(results, EXAMPLE).set_index("method")
    complete = ["wrapper-c45", "logistic", "damvi", "exact-boxes"]
    assert list(frame.index[:4]) == complete, "a mean over fewer folds does not win"
    assert list(frame.index[4:]) == ["rlsd", "fast-boxes", "easy-ensemble", "b-svm"]
    assert frame["note"].to_dict() == {
        "wrapper-c45": "learned from 20,000 of 80,000 rows",
        "logistic": "",
        "damvi": "failed on 1 of 2 folds: ValueError: no",
        "exact-boxes": "best found in its time on 1 of 2 folds",
        "rlsd": "stopped after 60 s on 1 of 2 folds",
        "fast-boxes": "1 of 2 folds",
        "easy-ensemble": "no row on 1 of 2 folds: RuntimeError: lost",
        "b-svm": "stopped after 60 s on 2 of 2 folds",
    }
    assert np.isnan(frame.loc["b-svm", "g_mean"])
    assert frame.loc["damvi", "g_mean"] == 0.45
    assert frame.loc[complete, "difference"].notna().all()
    assert frame.drop(complete)[["difference", "low", "high"]].isna().all(axis=None)
    assert not ranked_table(results, EXAMPLE).bold["G-mean"].iloc[4:].any()


def test_methods_of_a_user_are_ranked_and_drawn_and_left_to_the_user(played):
    settings, _, data = played
    experiment = PAPER.experiments["defaults"]
    for name, own in {
        "mine": Method("Mine", experiment.adapt(DecisionTreeClassifier())),
        "by hand": Method("By hand", lambda fold: {}),
    }.items():
        experiment = experiment.with_method(name, own)
    folds = {"logistic": [0.8, 0.7], "rlsd": [0.6, 0.7]}
    failed = {"status": "error", "message": "RuntimeError: lost"}
    results = made(defaults=folds | {"mine": [0.9, 0.9], "by hand": [0.9, failed]})
    results = {key: replace(part, experiment=experiment) for key, part in results.items()}
    learners = list(ranked_table(results, EXAMPLE).frame["learner"])
    assert learners == ["Mine", "Logistic regression", "RLSD", "By hand"]
    assert set(own_figure(results, EXAMPLE)[1]["learner"]) == set(learners)
    curves = curves_figure(results, EXAMPLE, data)[1]
    assert set(curves["method"]) == {"mine", "logistic", "rlsd"}, "a function has no curve"
    assert snippet(results, EXAMPLE, settings) == snippet(made(defaults=folds), EXAMPLE, settings)
    told = best_readable(results, EXAMPLE, data)
    assert told == best_readable(made(defaults=folds), EXAMPLE, data)


def test_without_rows_everything_says_so(played):
    settings, results, data = played
    nothing = {key: run(result.experiment, settings_none()) for key, result in results.items()}
    assert "nothing has been computed" in ranked_table(nothing, EXAMPLE).caption
    assert best_readable(nothing, EXAMPLE, data) == "No readable contestant has a result."
    assert snippet(nothing, EXAMPLE, settings) == "# No contestant has a result.\n"
    assert own_figure(nothing, EXAMPLE)[1].empty
    assert curves_figure(nothing, EXAMPLE, data)[1].empty
    stopped = made(defaults={"rlsd": [{"status": "time limit", "time_limit": 1}]})
    assert snippet(stopped, EXAMPLE, settings) == "# No contestant has a result.\n"
    assert best_readable(stopped, EXAMPLE, data) == "No readable contestant has a result."
    assert own_figure(stopped, EXAMPLE)[1].empty


def settings_none():
    return Settings(PAPER, datasets="glass6", compute="none")


def test_who_failed_everywhere_has_no_model(played):
    settings, _, data = played
    failed = {"g_mean": 0.0, "failed": 1, "message": "ValueError: no", "train_rows": 0}
    results = made(defaults={"rlsd": [failed, failed], "fast-boxes": [failed, failed]})
    assert best_readable(results, EXAMPLE, data) == "No readable contestant has a result."
    assert snippet(results, EXAMPLE, settings) == "# No contestant has a result.\n"
    assert "failed on 2 of 2 folds: ValueError: no" in set(standings(results, EXAMPLE)["note"])
    results = made(defaults={"rlsd": [failed, failed], "fast-boxes": [0.0, failed]})
    assert best_readable(results, EXAMPLE, data).startswith("Fast Boxes (defaults) is the best")


def test_the_example_is_ranked(played):
    _, results, _ = played
    table = ranked_table(results, EXAMPLE)
    assert len(table.frame) == 6
    rows = results["tuned"].rows
    means = rows.groupby("method")["g_mean"].mean()
    tuned = standings(results, EXAMPLE).query("setting == 'tuned'").set_index("method")["g_mean"]
    pd.testing.assert_series_equal(tuned.sort_index(), means, check_names=False)
    assert table.frame["fit, s"].gt(0).all()


# Figures.


def test_figures_plot_what_was_measured(played):
    import matplotlib.pyplot as plt

    _, results, data = played
    figure, plotted = own_figure(results, EXAMPLE)
    assert len(plotted) == 6
    assert (plotted["g_mean worst"] <= plotted["g_mean"]).all()
    plt.close(figure)
    figure, curves = curves_figure(results, EXAMPLE, data)
    plt.close(figure)
    assert curves["method"].nunique() == 3
    for (method, setting), curve in curves.query("curve == 'roc'").groupby(["method", "setting"]):
        rows = results[setting].rows.query("fold == 0").set_index("method")
        area = np.trapezoid(curve["y"], curve["x"])
        assert area == pytest.approx(rows.loc[method, "auroc"]), "the same model as in the row"


# Models.


def test_the_title_says_how_many_folds_entrants_have():
    stopped = {"status": "time limit", "time_limit": 60}
    for folds, title in [
        ([0.5, 0.6], "2 folds"),
        ([0.5, stopped], "1 to 2 folds"),
        ([], "2 folds"),
    ]:
        results = made(defaults={"logistic": [0.5, 0.6], "rlsd": folds, "damvi": [stopped] * 2})
        figure, _ = own_figure(results, EXAMPLE)
        assert figure.get_suptitle() == f"{EXAMPLE}: means and range over {title}"


def test_a_title_is_no_formula():
    results = made(defaults={"logistic": [0.5, 0.6]})
    results["defaults"].rows["dataset"] = "$^$"
    figure, _ = own_figure(results, "$^$")
    figure.savefig(io.BytesIO())  # where a formula would be read
    assert figure.get_suptitle().startswith("$^$")


def test_best_readable_is_printed_as_rules_and_compared(played):
    _, results, data = played
    text = " ".join(best_readable(results, EXAMPLE, data).split())
    frame = standings(results, EXAMPLE)
    best = frame[frame["readable"]].iloc[0]
    assert text.startswith(f"{best['learner']} ({best['setting']}) is the best of those")
    assert f"rank {best.name} of 6" in text
    assert "1 stands for outcome=yes" in text
    assert "precision" in text and any(f" if {column} " in text for column in data.X)


@pytest.mark.parametrize(("method", "words"), [("wrapper-c45", "kept"), ("fast-boxes", "1 if")])
def test_a_readable_winner_needs_no_comparison(played, method, words):
    *_, data = played
    text = best_readable(made(defaults={method: [0.9, 0.8]}), EXAMPLE, data)
    assert "It is the winner." in text
    assert words in text and "precision" in text


def test_the_price_of_reading_is_told_from_chance(played):
    *_, data = played
    clear = made(defaults={"logistic": [0.9, 0.8, 0.9], "rlsd": [0.4, 0.31, 0.4]})
    assert "is more than chance" in best_readable(clear, EXAMPLE, data)
    close = made(defaults={"logistic": [0.9, 0.8, 0.9], "rlsd": [0.4, 0.81, 0.9]})
    assert "which may be chance" in best_readable(close, EXAMPLE, data)


def test_the_most_frequent_configuration_is_used(played):
    settings, *_ = played
    folds = [{"g_mean": 0.9, "configuration": f"C={c}"} for c in (1.0, 0.1, 0.1)]
    code = snippet(made(tuned={"logistic": folds}), EXAMPLE, settings)
    assert "LogisticRegression(C=0.1, class_weight='balanced'" in code


def run_elsewhere(code, folder):
    """Run code in a process of its own, in an empty folder and without the laboratory."""
    folder.mkdir()
    alone = "import sys\nsys.modules['minority_reports'] = None  # cannot be imported\n"
    (folder.parent / "code.py").write_text(alone + code)
    command = [sys.executable, folder.parent / "code.py"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", CONTESTANTS)
def test_the_snippet_runs_as_it_is(played, name, capsys):
    settings, _, data = played
    contestant = CONTESTANTS[name]
    if contestant.needs:
        pytest.importorskip(contestant.needs)
    parameters = configurations(contestant.space, 1)[1] if contestant.space else {}
    folds = [{"g_mean": 0.9, "configuration": describe(parameters)}]
    setting = "tuned" if contestant.space else "defaults"
    code = snippet(made(**{setting: {name: folds}}), EXAMPLE, settings)
    assert f"read({str(paths.bundled() / EXAMPLE)!r})" in code
    assert "minority_reports" not in code.replace(str(paths.bundled()), "")
    if name == "exact-boxes":  # as it is but for the seconds that it would search for
        code = code.replace(f"time_limit={EXACT_SECONDS}", "time_limit=0.5")
    space = {}
    with threadpool_limits(1):
        exec(code, space)
        assert parameters.items() <= space["model"][-1].get_params().items()
        printed = capsys.readouterr().out
        assert f"{space['predicted'].sum()} of 300 rows" in printed
        assert ("print(model[-1].to_text())" in code) >= contestant.readable, "rules, if any"
        if name != "exact-boxes":  # which is cut off by a clock
            model = model_of(CONTESTANTS[name], describe(parameters), settings.seed)
            same = model.fit(data.X, data.y).predict(data.X)  # with the laboratory's own coder
            np.testing.assert_array_equal(space["predicted"], same)


def awkward(n=120):
    """A table with booleans, dates, money, categories and gaps that all tell of the label."""
    rng = np.random.default_rng(0)
    y = np.arange(n) < n // 4
    days = pd.date_range("2020-01-01", periods=n)
    table = pd.DataFrame(
        {
            "x": rng.normal(size=n) + y,
            "flag": rng.random(n) < np.where(y, 0.9, 0.3),
            "maybe": rng.choice(np.array([True, False, None], dtype=object), n),
            "when": days.strftime("%Y-%m-%d"),
            "seen": days[::-1].strftime("%d.%m.%Y"),
            "price": [f"€{1000 + 31 * k % 997:,}.00" for k in range(n)],
            "comment": np.where(y, rng.choice(["a", "b"], n), None),
            "code": rng.choice(["1", "2", "5.50", "x"], n),
        }
    )
    table.loc[rng.random(n) < 0.1, ["when", "price", "code", "x"]] = None
    return table.assign(label=np.where(y, "it's", "no")).sample(frac=1, random_state=0)


def store(table, path):
    """Write a table, and say how the snippet reads it."""
    if path.suffix == ".parquet":
        table.to_parquet(path, index=False)
    else:
        table.to_csv(path, sep="\t" if ".tsv" in path.name else ",", index=False)
    return f"features(read({str(path)!r}))"


@pytest.mark.parametrize(
    ("method", "ending"),
    [
        ("logistic", "csv"),
        ("fast-boxes", "parquet"),
        ("rlsd", "csv"),
        ("wrapper-c45", "tsv.gz"),
    ],
)
def test_the_model_of_the_snippet_takes_any_such_table(tmp_path, method, ending):
    table = awkward()
    store(table, tmp_path / f"my.{ending}")
    results = made(defaults={method: [0.9]})
    results["defaults"].rows["dataset"] = "my"
    code = snippet(results, "my", settings_for(tmp_path / f"my.{ending}"))
    others = [table, table.drop(columns="label"), table.iloc[:30]]
    for k, other in enumerate(others):
        reading = store(other, tmp_path / f"other{k}.{ending}")
        code += f"print('predicted', *model.predict({reading}))\n"
    printed = run_elsewhere(code, tmp_path / "empty").splitlines()
    data = load_file(tmp_path / f"my.{ending}", "label")
    expected = model_of(CONTESTANTS[method], "", 0).fit(data.X, data.y).predict(data.X)
    assert 0 < expected.sum() < len(expected)
    assert f"{expected.sum()} of 120 rows predicted: label=it's" in printed[0]
    for line, other in zip(printed[-3:], others, strict=True):
        assert list(map(int, line.split()[1:])) == list(expected[: len(other)])
    assert list((tmp_path / "empty").iterdir()) == []


@pytest.mark.parametrize("label", [(1, 0), (True, False), (2.5, 0.5), ("2020-01-01", "x")])
def test_the_snippet_finds_the_positive_label(write, tmp_path, label):
    path = write(20, label=label)
    results = made(defaults={"logistic": [0.9]})
    results["defaults"].rows["dataset"] = "my"
    space = {}
    exec(snippet(results, "my", settings_for(path)), space)
    assert list(space["y"]) == list(load_file(path, "label").y)


def test_the_snippet_keeps_a_given_label_and_samples_many_rows(write):
    settings = settings_for(write(300, n=6000, rare=np.arange(6000) == 17), positive="no")
    results = made(defaults={"exact-boxes": [0.9]})
    for result in results.values():
        result.rows["dataset"] = "my"
    code = snippet(results, "my", settings)
    assert "(table['label'] == 'no')" in code
    space = {}
    exec(code.replace(f"time_limit={EXACT_SECONDS}", "time_limit=0.1"), space)
    assert len(space["predicted"]) == 6000
    known = pd.Series(space["y"]).iloc[space["rows"]].value_counts()
    assert known.sum() == 5000 and known[0] == 250, "with the share of positives that all rows have"
    rows = sample_rows(settings.own["my"].load().y, 5000, 0)
    np.testing.assert_array_equal(space["rows"], rows)


def test_a_snippet_for_a_known_data_set_runs(capsys):
    results = made(defaults={"logistic": [0.9]})
    results["defaults"].rows["dataset"] = "glass6"
    code = snippet(results, "glass6", Settings(PAPER, datasets="glass6"))
    assert "load('glass6')" in code and "ColumnTypes" not in code
    exec(code, {})
    assert "of 214 rows predicted" in capsys.readouterr().out


# The whole way.


def test_awkward_columns_and_labels_are_learned_from(write, own_cache):
    n = 200
    path = write(
        20,
        n=n,
        label=(1, 0),
        text=[f"text {k}" for k in range(n)],
        empty=np.full(n, np.nan),
        flag=np.arange(n) % 2 == 0,
        same=np.ones(n),
    )
    settings = settings_for(path, methods=METHODS, folds=2, repeats=1, n_jobs=1)
    rows = run(PAPER.experiments["defaults"], own_settings(settings)[0]).rows
    assert len(rows) == 6 and (rows["failed"] == 0).all()
    assert rows["g_mean"].max() > 0.5


def coded(X, boxes):
    """A pipeline of the coder and a learner with the given boxes over its columns."""
    coder = numeric_coder().fit(X)
    rows = coder.transform(X)
    lower = np.full((len(boxes), rows.shape[1]), -np.inf)
    upper = -lower
    for k, box in enumerate(boxes):
        for name, (low, high) in box.items():
            j = rows.columns.get_loc(name)
            lower[k, j], upper[k, j] = low, high
    learner = FastBoxesClassifier().fit(rows, np.arange(len(X)) < 2)
    learner.boxes_ = BoxSet(lower, upper, rows.columns).shorten(rows)
    return make_pipeline(coder, learner), learner.boxes_.covers_each(rows)


def table(**columns):
    """Few common and, if there are more than 50 categories, many rare countries."""
    n = 240
    rng = np.random.default_rng(0)
    common = ["Trinidad and Tobago", "a or b", "DE", "FR"]
    country = rng.choice(common, n).astype(object)
    country[:60] = [f"rare {k}" for k in range(60)]
    country[60] = None
    age = rng.integers(20, 70, n).astype(float)
    age[[3, 70]] = np.nan
    frame = {"country": pd.Categorical(country), "a and b": age, "sex": rng.choice(["f", "m"], n)}
    return pd.DataFrame(frame | columns)


def test_conditions_on_coded_categories_are_saidin_words():
    X, inf = table(), np.inf
    country = X["country"]
    age = X["a and b"].fillna(X["a and b"].median())
    boxes = [
        {"country = DE": (0.5, inf), "sex = m": (-inf, 0.5)},
        {"country = Trinidad and Tobago": (-inf, 0.9), "country = a or b": (-inf, 0.9)},
        {"country = any rarer one": (0.1, inf), "a and b": (-inf, 30.4)},
        {"country = FR": (-0.5, inf), "a and b": (40.4, inf)},
        {"country = FR": (0.5, inf), "country = DE": (0.5, inf)},
    ]
    model, covered = coded(X, boxes)
    head, *lines = in_words(model, X).splitlines()
    assert head == "True if at least one of these holds:"
    assert lines[0] == "  1. country is DE and sex is f", "a missing one is a category of its own"
    assert lines[1] in (
        '  2. country is not "Trinidad and Tobago" or "a or b"',
        '  2. country is not "a or b" or "Trinidad and Tobago"',
    )
    assert lines[2].startswith("  3. country is one of the ") and "rarer values" in lines[2]
    assert lines[2].endswith(' and "a and b" <= 30'), "the median is not"
    assert lines[3] == '  4. "a and b" >= 41 (or missing)', "FR is allowed, and so are the others"
    assert lines[4] == "  5. country is none of its categories" and len(lines) == 5
    assert covered[0].tolist() == ((country == "DE") & (X["sex"] == "f")).tolist()
    assert covered[1].tolist() == (~country.isin(["Trinidad and Tobago", "a or b"])).tolist()
    assert covered[3].tolist() == (age >= 41).tolist()
    assert (age[covered[2]] <= 30).all() and country[covered[2]].str.startswith("rare").all()


@pytest.mark.parametrize("n_rare", [2, 7])
def test_few_rare_categories_are_listed_and_many_counted(n_rare):
    names = [f"c{k}" for k in range(49)]
    country = pd.Categorical(np.r_[names * 3, [f"r{k}" for k in range(n_rare)]])
    X = pd.DataFrame({"country": country, "x": np.arange(float(len(country)))})
    model, covered = coded(X, [{"country = any rarer one": (0.5, np.inf)}])
    words = "r0 or r1" if n_rare == 2 else "one of the 7 rarer values"
    assert in_words(model, X) == f"True if country is {words}"
    assert covered[0].sum() == n_rare


@settings_of(deadline=None, max_examples=60)
@given(
    st.lists(st.integers(0, 40 * 24 * 60), min_size=2, max_size=12, unique=True),
    st.sampled_from([1, 60, 24 * 60]),
    st.floats(0, 40),
    st.sampled_from(["both", "neither"]),
    st.booleans(),
)
def test_dates_divide_the_rows_as_the_model_does(minutes, unit, bound, closed, above):
    dates = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.array(minutes) // unit * unit, "min")
    days = (dates - pd.Timestamp(0)) / pd.Timedelta(days=1)
    X = pd.DataFrame({"seen on": days})
    X.attrs["dates"] = ["seen on"]
    bounds = {"lower" if above else "upper": 18262 + bound}
    condition = Interval("seen on", closed=closed, **bounds).shorten(days)
    text = Words([None], X)([condition])
    _, operator, date = re.fullmatch(r"(seen on) (<=|>=|<|>) (.+)", text).groups()
    compare = {"<=": dates.__le__, ">=": dates.__ge__, "<": dates.__lt__, ">": dates.__gt__}
    assert compare[operator](pd.Timestamp(date)).tolist() == condition.covers(days).tolist()
    if unit == 24 * 60:
        assert len(date) == 10, "the day is enough"
    elif (np.array(minutes) // unit * unit % (24 * 60)).any():
        assert len(date) > 10, "a day alone could be read as its end"


@pytest.mark.parametrize(("method", "times"), [("fast-boxes", 1), ("wrapper-c45", 2)])
def test_rules_on_a_column_of_dates(write, method, times):
    days = pd.date_range("2020-01-01", periods=60).astype(str)
    data = load_file(write(20, seen=days), "label")
    text = best_readable(made(defaults={method: [0.9, 0.8]}), EXAMPLE, data)
    assert text.count("seen <= 2020-01-2") == times, "in the model, and in the rules of a tree"


def test_rules_of_boxes_name_categories_as_the_file_does(write, own_cache):
    kind = np.where(np.arange(60) < 20, "rare kind", np.where(np.arange(60) < 40, "b", "c"))
    settings, _ = own_settings(settings_for(write(20, kind=kind), methods="fast-boxes", folds=2))
    results = {key: run(what, settings) for key, what in PAPER.experiments.items()}
    (name,) = settings.own
    text = best_readable(results, name, settings.own[name].load())
    assert 'kind is "rare kind"' in text or "kind is rare kind" in text or "kind is not " in text
    assert "0.5" not in text.split("Its rules")[0].split("stands for")[1]
