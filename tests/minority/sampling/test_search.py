"""The search for levels: which are visited, accepted and returned, against the paper's figures."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minority.sampling import search_levels


class Script:
    """A score function that plays values by level and remembers what it was asked."""

    def __init__(self, values):
        self.values, self.asked = values, []

    def __call__(self, undersampling, smote):
        level = (*undersampling.values(), *smote.values())
        self.asked.append(level if len(level) > 1 else level[0])
        return self.values(*level)


def test_undersampling_adds_the_decrement_back():
    """Falls at 60: 70 is kept (Fig. 2, with its slip put right)."""
    minor = {100: 0.5, 90: 0.6, 80: 0.6, 70: 0.7, 60: 0.69}
    script = Script(lambda kept, added: ([minor[kept]], [0.9]))
    levels = search_levels(script, ["-"], ["+"], max_smote=0)
    assert script.asked == [(100, 0), (90, 0), (80, 0), (70, 0), (60, 0)]
    assert levels.undersampling == {"-": 70} and levels.smote == {"+": 0}


def test_the_majority_may_fall_by_five_per_cent_in_a_step():
    major = {100: 1.0, 90: 0.95, 80: 0.9025, 70: 0.8573}
    script = Script(lambda kept, added: ([0.5], [major[kept]]))
    assert search_levels(script, ["-"], ["+"], max_smote=0).undersampling == {"-": 80}
    assert [kept for kept, _ in script.asked] == [100, 90, 80, 70]


def test_undersampling_ends_one_step_above_nothing():
    script = Script(lambda kept, added: ([0.5], [0.5]))
    assert search_levels(script, ["-"], ["+"], max_smote=0).undersampling == {"-": 10}
    assert [kept for kept, _ in script.asked] == list(range(100, 0, -10))
    found = search_levels(script, ["-"], ["+"], max_smote=0, min_kept=45)
    assert found.undersampling == {"-": 50}
    found = search_levels(script, ["-"], ["+"], max_smote=0, decrement=30)
    assert found.undersampling == {"-": 40}


SMOTE_SCRIPTS = {
    # No gain: two looks ahead, then back to the start.
    "nothing": ({}, [0, 100, 200, 300], 0),
    # 1.05 times the baseline is enough.
    "just enough": ({100: 0.525}, [0, 100, 200, 300, 400], 100),
    "not enough": ({100: 0.5249}, [0, 100, 200, 300], 0),
    # A gain on the last look ahead; then three more without one.
    "last look": ({300: 0.6}, [0, 100, 200, 300, 400, 500, 600], 300),
    # The bar is the last accepted value, not a failed one.
    "low bar": ({100: 0.52, 200: 0.53}, [0, 100, 200, 300, 400, 500], 200),
    # A gain after the look ahead is never seen.
    "too late": ({400: 0.9}, [0, 100, 200, 300], 0),
}


@pytest.mark.parametrize("name", SMOTE_SCRIPTS)
def test_look_ahead(name):
    values, visited, expected = SMOTE_SCRIPTS[name]
    script = Script(lambda added: ([values.get(added, 0.5)], []))
    levels = search_levels(script, [], ["+"])
    assert script.asked == visited
    assert levels.smote == {"+": expected} and levels.undersampling == {}


def test_smote_starts_from_the_undersampled_baseline():
    """0.6 would do against 0.5, the value without undersampling, but not against 0.59."""
    script = Script(lambda kept, added: ([{100: 0.5}.get(kept, 0.59) + (added > 0) * 0.01], [1.0]))
    levels = search_levels(script, ["-"], ["+"], min_kept=90)
    assert levels.undersampling == {"-": 90} and levels.smote == {"+": 0}
    assert script.asked == [(100, 0), (90, 0), (90, 100), (90, 200), (90, 300)]


def test_each_class_goes_on_until_it_is_stopped():
    """Table 6's levels need "until all flags": u2r at 200, r2l at 300."""
    u2r, r2l = [0.2, 0.3, 0.4], [0.2, 0.3, 0.4, 0.5]

    def values(a, b):
        return [u2r[min(a // 100, 2)], r2l[min(b // 100, 3)]], []

    script = Script(values)
    levels = search_levels(script, [], ["u2r", "r2l"])
    assert levels.smote == {"u2r": 200, "r2l": 300}
    # Turn by turn; u2r's looks ahead stay in place while r2l is tried, and go when it stops.
    assert script.asked == [
        *[(0, 0), (100, 0), (100, 100), (200, 100), (200, 200), (300, 200), (300, 300)],
        *[(400, 300), (400, 400), (500, 400), (200, 500), (200, 600)],
    ]


def test_several_majority_classes():
    """Any class can stop the one whose turn it is; the other goes on."""

    def values(a, b):
        return [0.5 - 0.1 * (a < 90)], [0.9, 0.9 - 0.2 * (b < 80)]

    script = Script(lambda a, b, added: values(a, b))
    levels = search_levels(script, ["a", "b"], ["+"], max_smote=0)
    assert levels.undersampling == {"a": 90, "b": 80}
    asked = [level[:2] for level in script.asked]
    assert asked == [(100, 100), (90, 100), (90, 90), (80, 90), (90, 80), (90, 70)]


def test_costs_follow_the_rules_with_the_inequality_turned():
    """1.05 times the cost is allowed to the majority, 0.95 asked of SMOTE."""
    allowed = Script(lambda kept, added: ([-1.0], [-{100: 2, 90: 2.1, 80: 2.2051}[kept]]))
    assert search_levels(allowed, ["-"], ["+"], max_smote=0).undersampling == {"-": 90}
    fallen = Script(lambda added: ([-{0: 2, 100: 1.9, 200: 1.8051}.get(added, 1.81)], []))
    assert search_levels(fallen, [], ["+"]).smote == {"+": 100}
    risen = Script(lambda kept, added: ([-{100: 1.0}.get(kept, 1.01)], [-1.0]))
    assert search_levels(risen, ["-"], ["+"], max_smote=0).undersampling == {"-": 100}


@pytest.mark.parametrize("value", [0.0, -0.0])
def test_a_value_of_zero_must_be_exceeded(value):
    """0 >= 1.05 * 0 would let SMOTE go on for ever."""
    script = Script(lambda added: ([value], []))
    assert search_levels(script, [], ["+"]).smote == {"+": 0}
    assert script.asked == [0, 100, 200, 300]
    found = Script(lambda added: ([0.01 if added >= 200 else 0.0], []))
    assert search_levels(found, [], ["+"]).smote == {"+": 200}


def test_limit_of_smote():
    """Growth without end stops at the limit; a look ahead that meets it falls back."""
    script = Script(lambda added: ([1.06 ** (added / 100)], []))
    assert search_levels(script, [], ["+"]).smote == {"+": 5000}
    script = Script(lambda added: ([0.5 + 0.1 * (added == 100)], []))
    assert search_levels(script, [], ["+"], max_smote=250).smote == {"+": 100}
    assert script.asked == [0, 100, 200]


def test_empty_lists():
    levels = search_levels(lambda undersampling, smote: ((), ()), [], [])
    assert levels.undersampling == levels.smote == {} and len(levels.path) == 1


def test_the_path_has_every_level():
    script = Script(lambda kept, added: ([0.5 + 0.1 * (added == 100)], [kept / 100]))
    path = search_levels(script, ["-"], ["+"]).path
    expected = pd.DataFrame(
        {
            "stage": ["start", "undersampling", *["smote"] * 4],
            "class": ["", "-", "+", "+", "+", "+"],
            "kept -": [100, 90, 100, 100, 100, 100],
            "smote +": [0, 0, 100, 200, 300, 400],
            "score +": [0.5, 0.5, 0.6, 0.5, 0.5, 0.5],
            "score -": [1.0, 0.9, 1.0, 1.0, 1.0, 1.0],
            "accepted": [True, False, True, False, False, False],
        }
    )
    pd.testing.assert_frame_equal(path, expected, check_dtype=False)


def figures(score, majority, minority, most):
    """Figures 1 to 3, line by line, with the two corrections, the limits and the zero rule."""
    under, smote = dict.fromkeys(majority, 100), dict.fromkeys(minority, 0)
    best_minor, best_major = score(under, smote)
    stop = dict.fromkeys(majority, False)
    while not all(stop.values()):
        for m in majority:
            if not stop[m]:
                if under[m] == 10:
                    stop[m] = True
                    continue
                under[m] = under[m] - 10
                minor, major = score(under, smote)
                if any(v < b for v, b in zip(minor, best_minor, strict=True)) or any(
                    v < (1 - 0.05) * b - 1e-12 for v, b in zip(major, best_major, strict=True)
                ):
                    under[m] = under[m] + 10
                    stop[m] = True
                else:
                    best_minor, best_major = minor, major
    stop, look = dict.fromkeys(minority, False), dict.fromkeys(minority, 1)
    while not all(stop.values()):
        for i, m in enumerate(minority):
            if not stop[m]:
                if smote[m] + 100 > most:
                    smote[m] = smote[m] - (look[m] - 1) * 100
                    stop[m] = True
                    continue
                smote[m] = smote[m] + 100
                minor, _ = score(under, smote)
                if minor[i] < (1 + 0.05) * best_minor[i] - 1e-12 or minor[i] == 0:
                    if look[m] < 3:
                        look[m] = look[m] + 1
                    else:
                        smote[m] = smote[m] - look[m] * 100
                        stop[m] = True
                else:
                    best_minor = minor
                    look[m] = 1
    return under, smote


@settings(deadline=None, max_examples=300)
@given(st.integers(0, 2**32), st.integers(0, 3), st.integers(0, 3), st.sampled_from([800, 10_000]))
def test_any_scores_as_in_the_figures(seed, n_majority, n_minority, most):
    majority, minority = list("abc")[:n_majority], list("xyz")[:n_minority]
    visits = [], []

    def player(asked):
        def score(under, smote):
            level = (*under.values(), *smote.values())
            asked.append(level)
            rng = np.random.default_rng([seed, *level])
            # Values that tend to rise, so that searches are long, some of them zero.
            rise = 0.03 * (sum(smote.values()) / 100 - sum(under.values()) / 100 + n_majority)
            grid = np.floor(rng.integers(0, 12, n_minority + n_majority) / 3) / 10
            values = (grid * (1 + max(rise, 0) * 4)).tolist()
            return values[:n_minority], [0.6 + v / 20 for v in values[n_minority:]]

        return score

    found = search_levels(player(visits[0]), majority, minority, max_smote=most)
    expected = figures(player(visits[1]), majority, minority, most)
    assert (found.undersampling, found.smote) == expected
    assert visits[0] == visits[1]
    assert len(found.path) == len(visits[0])
