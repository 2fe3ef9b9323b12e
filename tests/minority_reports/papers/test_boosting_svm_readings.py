"""Other readings of Boosting-SVM's paper: the same rules on rows of other methods."""

from boosting_svm_worlds import EXPERIMENTS, world_of

from minority_reports.papers.boosting_svm import PAPER, tables
from minority_reports.report import under_reading


def test_the_rivals_that_boost_are_those_on_machines_with_costs():
    claimed = world_of("claimed")
    (levels,) = PAPER.readings.combinations
    main = under_reading(PAPER, claimed, levels)["main"]
    read = tables.scores(main)
    was = tables.scores(claimed["main"], columns=tables.COLUMNS | tables.FURTHER_COLUMNS)
    for rival in ("I", "II", "IV"):
        assert (read[rival] == was[f"{rival}, asymmetric"]).all()
        assert (read[rival] != was[rival]).all()
    others = [name for name in tables.COLUMNS if name not in ("I", "II", "IV")]
    assert read[others].equals(was[others])
    assert set(main.experiment.datasets) == set(EXPERIMENTS["main"].datasets)
