"""Other readings of RLSD's Table 3."""

from rlsd_rows import everything, on_grid, results_of

from minority_reports.papers.rlsd import PAPER
from minority_reports.papers.rlsd.protocol import LEVELS
from minority_reports.report import under_reading


def test_every_other_level_is_a_reading():
    others = [{"level": f"{level:g}"} for level in LEVELS.values() if level != 0.05]
    assert list(PAPER.readings.combinations) == others and len(others) == 3


def test_a_reading_takes_the_rows_of_its_level():
    def by_level(key, rng):
        return on_grid(key, rng) | {"n_rules": 1000 * LEVELS[key.method]}

    results = everything() | {"table3-levels": results_of("table3-levels", by_level)}
    for levels in PAPER.readings.combinations:
        rows = under_reading(PAPER, results, levels)["table3"].rows
        assert set(rows["method"]) == {"rlsd"} and len(rows) == 80
        assert set(rows["n_rules"]) == {1000 * LEVELS[f"level={levels['level']}"]}
