"""The comparison on a user's own file: budget, interruption, resuming, advice, evidence, rules."""

import itertools
import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import settings as settings_of
from hypothesis import strategies as st

from minority_reports import paths
from minority_reports.experiments import Settings
from minority_reports.papers.showdown import PAPER, protocol
from minority_reports.papers.showdown.own import comparison as comparing
from minority_reports.papers.showdown.own.comparison import (
    Comparison,
    Kept,
    Plan,
    compare,
    duration,
    seconds_of,
)
from minority_reports.papers.showdown.own.evidence import (
    GRID,
    cost_table,
    found_by_share,
    inspection_curve,
    lift_table,
    own_decision,
    threshold_curve,
)
from minority_reports.papers.showdown.own.findings import Findings
from minority_reports.papers.showdown.own.recommend import MARGIN, advise, chance
from minority_reports.papers.showdown.own.rules import Rules, most_alike, on_held_out, rules_of
from minority_reports.papers.showdown.protocol import CONTESTANTS, METRICS, g_mean

METHODS = "cart-3,logistic,c45"


@pytest.fixture
def file(tmp_path, monkeypatch):
    """A small table, a cache of its own, and little to tune."""
    monkeypatch.setattr(paths, "cache", lambda: tmp_path / "cache")
    monkeypatch.setattr(protocol, "CONFIGURATIONS", 3)
    rng = np.random.default_rng(0)
    y = np.arange(90) < 20
    table = pd.DataFrame({"x": rng.normal(size=90) + 2 * y, "z": rng.normal(size=90)})
    table.assign(label=np.where(y, "yes", "no")).to_csv(tmp_path / "my.csv", index=False)
    return tmp_path / "my.csv"


def plan_for(file, methods=METHODS, **options):
    settings = Settings(PAPER, datasets=[str(file)], target="label", methods=methods, n_jobs=1)
    (name,) = settings.own
    options = {"folds": 2, "tuned": False} | options
    return Plan.of(settings.own[name].load(), settings, **options), settings


# The run.


def test_everything_is_compared_and_measured_on_held_out_rows(file):
    plan, _ = plan_for(file, tuned=True)
    told = []
    done = compare(plan, told.append)
    assert not done.ended and not done.missing and done.what_is_missing() == ("", "")
    assert len(done.rows) == 3 * 2 * 4, "methods, settings, 2 x 2 folds"
    assert len(told) == 24 and told[-1].startswith("24 of 24 runs, about 0 s left")
    assert done.rounds == plan.rounds == [(0, 0), (0, 1), (1, 0), (1, 1)]
    tested = np.concatenate([plan.test_rows(0, fold) for fold in range(2)])
    assert sorted(tested) == list(range(90)), "every row is held out once per repeat"
    for row in done.rows.itertuples():
        kept = done.kept[row.method, row.setting, row.repeat, row.fold]
        y = plan.data.y[plan.test_rows(row.repeat, row.fold)]
        assert row.g_mean == pytest.approx(g_mean(y, kept.predicted.astype(int)))
    assert done.ranking["g_mean"].is_monotonic_decreasing


def test_what_is_finished_is_not_computed_again(file, monkeypatch):
    plan, _ = plan_for(file)
    first = compare(plan)
    monkeypatch.setattr(comparing, "Child", None)
    pd.testing.assert_frame_equal(compare(plan).rows, first.rows)
    with pytest.raises(TypeError):
        compare(plan_for(file, folds=3)[0])
    for stored in (paths.own_results() / "comparisons").iterdir():
        stored.write_bytes(b"damaged")
    with pytest.raises(TypeError):
        compare(plan)


def stopping(plan, after, how):
    """What is told of progress, until it ends the run."""
    calls = itertools.count(1)

    def tell(text):
        if next(calls) == after:
            if how == "interrupt":
                raise KeyboardInterrupt
            object.__setattr__(plan, "started", plan.started - plan.budget)

    return tell


@pytest.mark.parametrize("how", ["interrupt", "budget"])
@pytest.mark.parametrize(("after", "folds"), [(2, 1), (7, 2)])
def test_a_run_that_ends_early_compares_what_all_have(file, how, after, folds):
    plan, settings = plan_for(file, budget=600.0, tuned=True)
    done = compare(plan, stopping(plan, after, how))
    assert done.ended == how and len(done.rows) == after
    assert len(done.rounds) == folds, "the folds that all methods have, else the first"
    assert (done.ranking["folds"] == folds).all()
    sentence, which = done.what_is_missing()
    cause = {"interrupt": "It was interrupted", "budget": "The budget of 10 min was used up"}
    assert sentence.startswith(cause[how])
    assert f"rests on {folds} of 4 folds" in sentence
    assert "4 of 4 folds of all methods (tuned)" in which
    headline = Findings.of(done, settings).advice.headline
    assert headline.startswith("So far: use " if after == 2 else ("Use ", "No method"))
    if after == 7 and how == "interrupt":
        again = compare(plan_for(file, tuned=True)[0])
        assert not again.ended and len(again.rows) == 24, "the same command goes on"


def test_who_takes_too_long_is_not_tried_again(file):
    plan, _ = plan_for(file)
    object.__setattr__(plan, "time_limit", 1e-9)
    done = compare(plan)
    assert len(done.rows) == 3 and done.rows["status"].eq("time limit").all()
    assert advise(done).headline == "Nothing can be recommended yet: no method has a result."
    object.__setattr__(plan, "time_limit", 60.0)
    assert len(compare(plan).rows) == 12, "a longer limit computes them"


def test_what_is_chosen_for_a_table(file):
    plan, settings = plan_for(file, folds=0, budget=100.0)
    assert (plan.folds, plan.repeats, plan.time_limit) == (5, 2, 20.0)
    assert plan.reserve == 15.0
    (text,) = plan.sentences()
    assert text == (
        "3 methods with default parameters on 2 x 5 stratified folds; at most 20 s per method and "
        "fold, 2 min in all, in 1 process."
    )
    large = SimpleNamespace(n=200_000, name="large", y=None)
    plan = Plan.of(large, settings, budget=600.0)
    assert (plan.folds, plan.repeats, plan.time_limit) == (3, 1, 60.0)
    assert any("sample of 25,000 of the 133,334 rows" in text for text in plan.sentences())


def test_methods_without_their_package_are_named(file, monkeypatch):
    method = type(PAPER.experiments["defaults"].methods["cart-3"])
    reason = property(lambda self: "C4.5 needs c45: pip" if self.label == "C4.5" else "")
    monkeypatch.setattr(method, "not_installed", reason)
    plan, _ = plan_for(file, methods="c45,cart-3")
    assert list(plan.contestants) == ["cart-3"]
    assert "Left out: C4.5 needs c45: pip." in plan.sentences()
    with pytest.raises(ValueError, match="no method can be run here"):
        plan_for(file, methods="c45")


@pytest.mark.parametrize(
    ("text", "seconds"), [("10m", 600), ("90s", 90), ("1.5h", 5400), ("45", 45), ("0", 0)]
)
def test_budgets_as_people_write_them(text, seconds):
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("text", ["", "soon", "-3m", "5 d", "nan"])
def test_budgets_that_are_none(text):
    with pytest.raises(ValueError, match="a budget is a number with s, m or h"):
        seconds_of(text)


def test_durations_are_short():
    assert [duration(s) for s in (4.2, 89, 125, 3600, 9000)] == [
        *("4 s", "89 s", "2 min", "60 min", "2.5 h")
    ]


# Advice.


def made(scores, conditions, *, metric="g_mean", y=None, setting="defaults"):
    """A comparison from scores by method and fold."""
    data = SimpleNamespace(y=np.tile([1, 0, 0, 0], 25) if y is None else y, n=100, positives=25)
    folds = len(next(iter(scores.values())))
    entrants = {name: SimpleNamespace(contestant=CONTESTANTS[name]) for name in scores}
    rows = [
        dict.fromkeys(METRICS, 0.7)
        | {"method": name, "setting": setting, "repeat": 0, "fold": fold, "configuration": ""}
        | {"conditions": conditions[name], "rules": 1, "failed": 0, "status": "ok", "message": ""}
        | {"fit_s": 1.0, "train_rows": 80, "time_limit": 60.0, metric: score}
        for name, values in scores.items()
        for fold, score in enumerate(values)
    ]
    plan = Plan(data, entrants, metric, folds=max(folds, 2))
    plan = SimpleNamespace(
        data=data,
        metric=metric,
        contestants=entrants,
        rounds=[(0, k) for k in range(folds)],
        experiment=plan.experiment,
        test_rows=lambda repeat, fold: np.arange(100)[fold::folds],
    )
    kept = {
        (name, setting, 0, fold): Kept(
            np.linspace(0, 1, len(plan.test_rows(0, fold))),
            np.ones(len(plan.test_rows(0, fold)), bool),
            None,
        )
        for name in scores
        for fold in range(folds)
    }
    return Comparison(plan, pd.DataFrame(rows), kept)


def test_the_best_is_taken_where_nothing_simpler_is_as_good():
    scores = {"catboost": [0.9, 0.91, 0.92], "cart-3": [0.8, 0.81, 0.82]}
    advice = advise(made(scores, {"catboost": 900, "cart-3": 7}))
    assert advice.headline == "Use CatBoost (defaults): nothing simpler is as good."
    text = " ".join(advice.sentences)
    assert "CatBoost (defaults) has the highest G-mean: 0.910 ± 0.010 over 3 folds" in text
    assert "With at most 10 conditions CART of depth 3 (defaults) is the best" in text
    assert "-0.100 [-0.100, -0.100], which is significant" in text
    assert "A tree of depth 3 is worse than the best" in text
    assert "finds" in text and "of 100 positives with the best" in text


def test_the_simplest_that_is_as_good_is_taken():
    scores = {
        "catboost": [0.90, 0.92, 0.91],
        "logistic": [0.91, 0.90, 0.91],
        "cart-3": [0.92, 0.89, 0.90],
    }
    conditions = {"catboost": 900, "logistic": 12, "cart-3": 7}
    comparison = made(scores, conditions)
    advice = advise(comparison)
    assert advice.headline == "Use CART of depth 3: it is as good as CatBoost, and simpler."
    assert "A tree of depth 3 is not significantly worse than the best." in advice.sentences
    assert advise(comparison, few=5).sentences[1] == "No method got by with 5 conditions or fewer."


def test_equal_scores_are_won_by_fewer_conditions():
    scores = {"catboost": [0.9, 0.9], "cart-3": [0.9, 0.9]}
    advice = advise(made(scores, {"catboost": 900, "cart-3": 7}))
    assert advice.best["method"] == "cart-3"
    assert advice.headline == "Use CART of depth 3 (defaults): nothing simpler is as good."
    assert "It is also the best with at most 10 conditions" in advice.sentences[1]


@pytest.mark.parametrize("metric", METRICS)
def test_nothing_is_recommended_that_does_not_beat_a_guess(metric):
    y = np.tile([1, 0, 0, 0], 25)
    guess = chance(y, metric)
    scores = {"catboost": [guess + 0.1, guess - 0.1, guess]}
    comparison = made(scores, {"catboost": 9}, metric=metric, y=y)
    advice = advise(comparison)
    assert advice.headline == "No method is clearly better than guessing: use none of them."
    assert advice.chosen is None and f"{guess:.3f}" in advice.sentences[0]
    better = -0.1 if metric in ("brier", "calibration_error") else 0.1
    scores = {"catboost": [guess + better, guess + 0.9 * better, guess + better]}
    assert advise(made(scores, {"catboost": 9}, metric=metric, y=y)).chosen is not None


def test_a_guess_is_as_good_as_it_can_be():
    y = np.tile([1, 0, 0, 0], 25)
    shares = np.linspace(0.01, 0.99, 99)
    assert chance(y, "g_mean") == pytest.approx(max(np.sqrt(shares * (1 - shares))))
    assert chance(y, "f1") == pytest.approx(max(2 * 0.25 * shares / (0.25 + shares)), abs=0.01)
    assert chance(y, "brier") == pytest.approx(
        min(0.25 * (1 - p) ** 2 + 0.75 * p**2 for p in shares)
    )


def test_one_fold_gives_no_interval_and_says_so():
    advice = advise(made({"catboost": [0.9], "cart-3": [0.7]}, {"catboost": 900, "cart-3": 7}))
    assert advice.chosen["method"] == "catboost"
    assert "one fold gives no interval" in " ".join(advice.sentences)


@settings_of(deadline=None, max_examples=8)
@given(st.data())
def test_nothing_is_recommended_that_something_simpler_beats(data):
    names = ["catboost", "logistic", "cart-3", "rlsd", "fast-boxes"]
    score = st.integers(12, 20).map(lambda k: k / 20)
    scores = {name: data.draw(st.lists(score, min_size=3, max_size=3)) for name in names}
    conditions = {name: data.draw(st.integers(1, 15)) for name in names}
    comparison = made(scores, conditions)
    advice = advise(comparison)
    ranking = comparison.ranking
    if advice.chosen is None:
        return
    for chosen in (advice.best, advice.chosen, advice.small):
        if chosen is None:
            continue
        simpler = ranking["conditions"] < chosen["conditions"]
        better = ranking["g_mean"] >= chosen["g_mean"] + 1e-12
        if chosen is not advice.chosen:
            assert not (simpler & better).any()
    assert advice.chosen["g_mean"] >= ranking["g_mean"].max() - MARGIN - 1e-9
    assert not advice.chosen["high"] < 0
    good = (ranking["difference"] >= -MARGIN) & ~(ranking["high"] < 0)
    assert advice.chosen["conditions"] == ranking.loc[good, "conditions"].min()
    if advice.small is not None:
        few = ranking[ranking["conditions"] <= 10]
        assert advice.small["g_mean"] == pytest.approx(few["g_mean"].max())


# Lift, costs, thresholds.


@settings_of(deadline=None, max_examples=50)
@given(st.lists(st.tuples(st.integers(0, 2), st.booleans()), min_size=1, max_size=6))
def test_positives_found_are_the_mean_over_all_orders_of_ties(rows):
    score = np.array([float(row[0]) for row in rows])
    y = np.array([int(row[1]) for row in rows])
    n = len(rows)
    orders = [
        order
        for order in itertools.permutations(range(n))
        if all(score[a] >= score[b] for a, b in itertools.pairwise(order))
    ]
    for k in range(n + 1):
        expected = np.mean([y[list(order[:k])].sum() for order in orders])
        assert found_by_share(y, score, [k / n])[0] == pytest.approx(expected)


@pytest.fixture(scope="module")
def scored():
    """Two methods on made-up scores: one that is perfect, one that knows nothing."""
    y = np.random.default_rng(0).random(100) < 0.3
    comparison = made(
        {"catboost": [0.9] * 4, "cart-3": [0.6] * 4}, {"catboost": 1, "cart-3": 1}, y=y
    )
    comparison.plan.data.positives = int(y.sum())
    for (name, *_, fold), kept in list(comparison.kept.items()):
        part = y[comparison.plan.test_rows(0, fold)].astype(float)
        score = part if name == "catboost" else np.zeros(len(part))
        comparison.kept[name, "defaults", 0, fold] = Kept(score, score > 0.5, kept.rules)
    return comparison


def test_lift_and_costs_of_a_perfect_and_of_a_useless_model(scored):
    share = scored.plan.data.y.mean()
    perfect, useless = (lift_table(scored, name, "defaults") for name in ("catboost", "cart-3"))
    assert perfect.loc["10%", "precision"] == pytest.approx(1)
    assert perfect.loc["10%", "lift"] == pytest.approx(1 / share)
    assert perfect.loc["50%", "share of all positives"] == pytest.approx(1)
    np.testing.assert_allclose(useless["lift"], 1)
    costs = cost_table(scored, "cart-3", "defaults")
    assert (costs["saved"] <= 1e-9).all(), "who knows nothing saves nothing"
    costs = cost_table(scored, "catboost", "defaults")
    assert (costs.loc[:20, "saved"] > 0.5).all()
    trivial = 1000 * np.minimum(costs.index * share, 1 - share)
    np.testing.assert_allclose(costs["cost without a model"], trivial)


def test_costs_are_those_of_the_share_chosen_on_the_other_folds(scored):
    y, miss = scored.plan.data.y.astype(int), 5
    parts = [
        (y[scored.plan.test_rows(0, k)], scored.kept["catboost", "defaults", 0, k].score)
        for k in range(4)
    ]

    def cost(k, share):
        y, score = parts[k]
        found = found_by_share(y, score, [share])[0]
        return share * len(y) - found + miss * (y.sum() - found)

    paid = 0.0
    for k in range(4):
        others = [sum(cost(j, share) for j in range(4) if j != k) for share in GRID]
        paid += cost(k, GRID[int(np.argmin(others))])
    table = cost_table(scored, "catboost", "defaults")
    assert table.loc[miss, "cost"] == pytest.approx(1000 * paid / len(y))


def test_thresholds_and_the_model_s_own_decision_by_brute_force(scored):
    rng = np.random.default_rng(1)
    for fold in range(4):
        n = len(scored.plan.test_rows(0, fold))
        score = rng.integers(0, 5, n) / 4
        scored.kept["cart-3", "tuned", 0, fold] = Kept(score, score > 0.6, None)
    curve = threshold_curve(scored, "cart-3", "tuned").set_index("threshold")
    y = np.concatenate([scored.plan.data.y[scored.plan.test_rows(0, k)] for k in range(4)])
    score = np.concatenate([scored.kept["cart-3", "tuned", 0, k].score for k in range(4)])
    for threshold, line in curve.iterrows():
        found = score >= threshold
        assert line["recall"] == pytest.approx(y[found].sum() / y.sum())
        assert line["precision"] == pytest.approx(y[found].mean())
        assert line["G-mean"] == pytest.approx(g_mean(y.astype(int), found.astype(int)))
    own = own_decision(scored, "cart-3", "tuned")
    assert own["recall"] == pytest.approx(y[score > 0.6].sum() / y.sum())
    assert own["precision"] == pytest.approx(y[score > 0.6].mean())
    curve = inspection_curve(scored, "cart-3", "tuned")
    assert curve.is_monotonic_increasing and curve.iloc[-1] == pytest.approx(1)


# Rules.


def rows_for_rules(n=160):
    rng = np.random.default_rng(0)
    y = np.arange(n) < n // 4
    kind = np.where(rng.random(n) < np.where(y, 0.8, 0.2), "a", "b")
    table = {"x": rng.normal(size=n).round(2) + 1.5 * y, "z": rng.normal(size=n), "kind": kind}
    return pd.DataFrame(table).astype({"kind": "category"}), y.astype(int)


HAVE_RULES = [
    *("fast-boxes", "exact-boxes", "fast-boxes-cv", "rlsd", "rlsd-all-rules", "wrapper-c45"),
    *("wrapper-ripper", "cart-3", "optimal-tree", "c45"),
]


@pytest.mark.parametrize("name", HAVE_RULES)
def test_a_row_is_predicted_positive_if_one_of_the_rules_covers_it(name):
    contestant = CONTESTANTS[name]
    if contestant.needs:
        pytest.importorskip(contestant.needs)
    X, y = rows_for_rules()
    model = contestant.make()
    faster = {"time_limit": 1.0} if name == "exact-boxes" else {}
    model[-1].set_params(**faster)
    seeds = [key for key in model.get_params() if key.endswith("random_state")]
    rules = rules_of(model.set_params(**dict.fromkeys(seeds, 0)).fit(X, y), X)
    assert 0 < len(rules.texts) == len(rules.covers)
    np.testing.assert_array_equal(rules.covers.any(axis=0), model.predict(X) == 1)
    assert any("x" in text for text in rules.texts)


@pytest.mark.parametrize("name", ["logistic", "balanced-forest", "easy-ensemble", "rusboost"])
def test_models_without_rules_have_none(name):
    X, y = rows_for_rules()
    assert rules_of(CONTESTANTS[name].make().fit(X, y), X) is None


def test_rules_are_measured_on_held_out_rows_where_they_are_found_again():
    y = np.array([1, 1, 1, 0, 0, 0, 0, 0])
    rule = np.array([[1, 1, 0, 1, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 1, 1]], bool)
    near = np.array([[1, 1, 0, 1, 1, 0, 0, 0]], bool)  # 3 of 4 rows in common
    far = np.array([[0, 0, 1, 0, 0, 1, 0, 0]], bool)
    folds = [
        (Rules.of(["near"], near), np.array([0, 3, 4])),
        (Rules.of(["far"], far), np.array([1, 2, 5])),
        (Rules.of([], np.zeros((0, 8), bool)), np.array([6, 7])),
    ]
    frame = on_held_out(Rules.of(["it", "other"], rule), folds, y)
    assert list(frame["found again"]) == ["1 of 3", "0 of 3"]
    first = frame.iloc[0]
    assert (first["support"], first["precision"], first["recall"]) == (1.0, 1 / 3, 1.0)
    assert first["lift"] == pytest.approx(1.0)
    assert frame.iloc[1][["support", "precision", "recall", "lift"]].isna().all()


@settings_of(deadline=None, max_examples=50)
@given(st.integers(0, 4), st.integers(1, 12), st.integers(0, 99))
def test_the_rule_that_is_most_alike(n_others, n, seed):
    rng = np.random.default_rng(seed)
    rule, others = rng.random(n) < 0.5, rng.random((n_others, n)) < 0.5
    best, found = -1.0, None
    for k, other in enumerate(others):
        either = (rule | other).sum()
        overlap = (rule & other).sum() / either if either else 0.0
        if overlap > best:
            best, found = overlap, k
    assert most_alike(rule, others) == (found if best >= 0.5 else None)
    packed = Rules.of(["r"] * n_others, others)
    np.testing.assert_array_equal(packed.covers, others)


def test_findings_have_held_out_rules_and_code_that_needs_no_laboratory(file):
    plan, settings = plan_for(file)
    findings = Findings.of(compare(plan), settings)
    assert findings.models and "learned from all 90 rows" in findings.models[0].title
    for model in findings.models:
        if model.rules is not None:
            assert model.rules["found again"].str.endswith(" of 4").all()
    for code in findings.codes().values():
        space = {}
        exec(code, space)
        assert len(space["predicted"]) == 90
    assert math.isclose(findings.lift()["lift"].iloc[-1], findings.lift().iloc[-1, 2] / 0.5)
