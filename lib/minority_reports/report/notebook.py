"""What every paper's notebook shows: its settings, its result in short, and its readings."""

from collections.abc import Mapping

from IPython.display import display

from minority_reports.experiments import Paper, Results, Settings, summary
from minority_reports.report.figures import Report
from minority_reports.report.folding import Folded
from minority_reports.report.in_short import in_short, result_figure
from minority_reports.report.specification import (
    curve_caption,
    decisive_choices,
    readings_summary,
    specification_curve,
)
from minority_reports.report.tables import Bullets, show


def show_settings(settings: Settings, results: Mapping[str, Results]) -> Folded:
    """What was asked for, and the runs that there are, folded."""
    table = show(settings.frame(), caption="Settings")
    return Folded("Settings and runs", table, summary(results))


def show_result(report: Report, paper: Paper, results: Mapping[str, Results]) -> None:
    """The result in three sentences, and the figure, which is written too."""
    display(Bullets(in_short(paper, results)))
    figure, data = result_figure(paper, results)
    display(report.figure(figure, "result", data, data.attrs.get("caption", "Nothing to compare.")))


def show_readings(report: Report, paper: Paper) -> None:
    """The headline claims over the paper's readings.

    In how many they hold, what decides, and the specification curve of each, all but the first
    folded. All are written.
    """
    display(report.table(readings_summary(paper), "readings_summary"))
    display(report.table(decisive_choices(paper), "readings_decisive"))
    for claim in paper.readings.claims:
        figure, data = specification_curve(paper, claim)
        caption = curve_caption(paper, claim)
        picture = report.figure(figure, f"curve_{claim.rpartition('-')[2]}", data, caption)
        is_first = claim == paper.readings.claims[0]
        display(picture if is_first else Folded(caption, picture))
