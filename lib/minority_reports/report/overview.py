"""The state of the whole project: runs completed, claims judged, and the README's table of both."""

import re
from collections.abc import Mapping, Sequence

import pandas as pd

from minority_reports.experiments import Results
from minority_reports.report.claims import (
    GRADE_COLOURS,
    GRADES,
    ON_PUBLIC,
    count_verdicts,
    grades_on_public,
    published,
)
from minority_reports.report.style import (
    canvas,
    legend_beside,
)


def coverage(results: Mapping[str, Mapping[str, Results]]) -> pd.DataFrame:
    """Runs completed of runs planned, for every experiment of some papers."""
    rows = [
        (found.experiment.name, len(found.rows), found.planned)
        for of_paper in results.values()
        for found in of_paper.values()
    ]
    frame = pd.DataFrame(rows, columns=["experiment", "runs completed", "runs planned"])
    return frame.set_index("experiment")


def claims_figure(judged: Mapping[str, pd.DataFrame]):
    """Empirical claims of every paper by grade, as stacked bars; those by construction behind."""
    table = count_verdicts(judged).iloc[::-1]
    table.index = [published(name)["short"] for name in reversed(list(judged))]
    table.index.name = "paper"
    figure, axes = canvas(shape=0, lines=5 + 2 * len(table))
    start = pd.Series(0, index=table.index)
    for verdict in GRADES:
        width = table[verdict]
        bars = axes.barh(
            table.index,
            width,
            left=start,
            color=GRADE_COLOURS[verdict],
            edgecolor="white",
            label=verdict,
        )
        labels = [str(n) if n else "" for n in width]
        axes.bar_label(bars, labels=labels, label_type="center", fontsize="small")
        start = start + width + (1.5 if verdict == GRADES[-2] else 0)
    axes.set(xlabel="claims (behind the gap: by construction)", title="Claims by verdict")
    axes.grid(visible=False, axis="y")
    legend_beside(axes)
    return figure, table.reset_index()


def results_markdown(judged: Mapping[str, pd.DataFrame], keys: pd.DataFrame) -> str:
    """The README's table of results."""
    table = count_verdicts(judged)
    lines = [
        "| paper | " + " | ".join(table.columns) + " |",
        "|---|" + "---:|" * len(table.columns),
    ]
    lines += [
        f"| {title} | " + " | ".join(map(str, row)) + " |"
        for title, row in zip(table.index, table.to_numpy().tolist(), strict=True)
    ]
    for name, claims in judged.items():
        beside = grades_on_public(claims)
        if len(beside):
            grades = ", ".join(f"{count} {grade}" for grade, count in beside.items())
            text = f"{published(name)['short']}: {beside.sum()} claims that are not testable are"
            lines += ["", f"{text} judged in general form {ON_PUBLIC} and counted apart: {grades}."]
    done = keys.sum()
    lines += ["", f"{done['runs completed']:,} of {done['runs planned']:,} runs are completed."]
    return "\n".join(lines)


def recomputed(agreements: Sequence[Mapping]) -> str:
    """How many stored rows were recomputed on this machine and how they compare, in a sentence.

    >>> recomputed([{"compared": 96, "agreeing": 96, "identical": 90}])
    '96 rows recomputed on this machine: 90 identical, 6 equal within rounding.'
    """
    compared, agreeing, identical = (
        sum(one[name] for one in agreements) for name in ("compared", "agreeing", "identical")
    )
    if not compared:
        return "No row was recomputed on this machine."
    if identical == compared:
        return f"{compared:,} rows recomputed on this machine, all identical."
    counts = {
        "identical": identical,
        "equal within rounding": agreeing - identical,
        "different": compared - agreeing,
    }
    said = ", ".join(f"{n:,} {how}" for how, n in counts.items() if n)
    return f"{compared:,} rows recomputed on this machine: {said}."


_MARKERS = re.compile(r"(<!-- results:begin -->\n).*?(<!-- results:end -->)", re.DOTALL)


def with_results(readme: str, judged: Mapping[str, pd.DataFrame], keys: pd.DataFrame) -> str:
    """A README with the table between its markers renewed: judged claims and :func:`coverage`."""
    table = results_markdown(judged, keys)
    renewed, found = _MARKERS.subn(lambda m: f"{m[1]}{table}\n{m[2]}", readme)
    if not found:
        raise ValueError("the README has no <!-- results:begin --> ... <!-- results:end --> block")
    return renewed
