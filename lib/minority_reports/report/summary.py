"""A paper's reproduction in two pages: what was claimed, done and found, as facts for a page."""

import re
import shutil
import subprocess
import tempfile
import textwrap
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from minority_reports import paths
from minority_reports.experiments import Experiment, Paper, Results
from minority_reports.report.claims import (
    GRADES,
    NOT_TESTABLE,
    counts_in_verdicts,
    judge,
    published,
)
from minority_reports.report.in_short import in_short
from minority_reports.report.judged import Verdicts
from minority_reports.report.latex import escape
from minority_reports.report.numbers import with_agreement

#: The grades of empirical claims.
EMPIRICAL_GRADES = GRADES[:-1]
#: Of more methods only these are named.
_NAMED = 12


@dataclass(frozen=True)
class Summary:
    """What became of a paper here.

    Attributes
    ----------
    paper : str
        Its name.
    claims : DataFrame
        Every claim with its verdict, and whether that is ``firm``.
    sentences : tuple of str
        The result in three sentences, the first of which stands alone.
    main : tuple of str
        The claims that the paper stands or falls by.
    done : dict of str to str
        What was done, in a few words for each aspect.
    found : tuple of str
        Further sentences about what came out.
    causes : DataFrame
        The likeliest cause of each claim that was not reproduced.
    left_open : tuple of str
        The questions that the paper leaves open.
    """

    paper: str
    claims: pd.DataFrame
    sentences: tuple[str, ...] = ()
    main: tuple[str, ...] = ()
    done: Mapping[str, str] = field(default_factory=dict)
    found: tuple[str, ...] = ()
    causes: pd.DataFrame = field(default_factory=pd.DataFrame)
    left_open: tuple[str, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        """The empirical claims by grade, from reproduced to not testable."""
        counts = self.claims["verdict"].value_counts()
        return {grade: int(counts[grade]) for grade in EMPIRICAL_GRADES if grade in counts}


def summarise(paper: Paper, results: Mapping[str, Results]) -> Summary:
    """A paper's summary from the results of its whole protocol."""
    verdicts = Verdicts(paper, results)
    claims = verdicts.with_firmness()
    headlines = {*paper.headline.claims, *(paper.readings.claims if paper.readings else ())}
    return Summary(
        paper=paper.name,
        claims=claims,
        sentences=tuple(in_short(paper, results)),
        main=tuple(claim for claim in claims.index if claim in headlines),
        done=_done(paper, results),
        found=(*_agreeing(paper, results), *_firm(claims)),
        causes=verdicts.investigated().frame,
        left_open=tuple(c.question for c in paper.readings.choices) if paper.readings else (),
    )


def unjudged(paper: str) -> Summary:
    """The summary of a paper that has published claims and no protocol here."""
    return Summary(paper, judge(paper, {}, {}))


def _done(paper: Paper, results: Mapping[str, Results]) -> dict[str, str]:
    main = paper.experiments[paper.main]
    computed = sum(len(part.rows) for part in results.values())
    planned = sum(part.planned for part in results.values())
    seconds = sum(part.timings["seconds"].sum() for part in results.values())
    runs = f"{computed:,}" if computed == planned else f"{computed:,} of {planned:,}"
    done = {
        "data": _data(main),
        "methods": _methods(main),
        "splits": f"{main.repeats * main.folds} per data set. {_way_to_split(main)}.",
        "runs": f"{runs} in {len(results)} experiments, {seconds / 3600:,.0f} hours of one core",
    }
    if paper.readings:
        choices, n = len(paper.readings.choices), len(paper.readings.combinations)
        done["interpretations"] = (
            f"{n:,} alternative interpretations of what the paper does not specify, from "
            f"{choices} choices; headline claims are judged under each"
        )
    return done


def _data(experiment: Experiment) -> str:
    stand_ins = [name for name in experiment.datasets if not counts_in_verdicts(name)]
    text = f"{len(experiment.datasets) - len(stand_ins)} data sets in the main comparison"
    if stand_ins:
        text += f"; {len(stand_ins)} simulated stand-ins beside them count in no verdict"
    return text


def _way_to_split(experiment: Experiment) -> str:
    said = (experiment.split.__doc__ or "").partition("\n")[0]
    return said.partition(":")[0].rstrip(".")


def _methods(experiment: Experiment) -> str:
    names = [method.label for method in experiment.methods.values()]
    text = "; ".join(names[:_NAMED])
    if len(names) > _NAMED:
        text += f" and {len(names) - _NAMED} more"
    if (settings := len(experiment.settings)) > 1:
        text += f"; each in {settings} settings"
    return text


def _agreeing(paper: Paper, results: Mapping[str, Results]) -> list[str]:
    """How many published numbers ours agree with."""
    if paper.numbers is None:
        return []
    numbers = with_agreement(paper.numbers(results))
    compared = numbers["agrees"].dropna()
    if compared.empty:
        lost = "none of them can be compared"
        return [f"Of {len(numbers)} published numbers {lost}." if len(numbers) else ""]
    return [
        f"{int(compared.sum())} of {len(compared)} published numbers that can be compared are "
        "within noise of ours."
    ]


def _firm(claims: pd.DataFrame) -> list[str]:
    decided = claims[claims["verdict"] != NOT_TESTABLE]
    fragile = int((decided["firm"] == "fragile").sum())
    judged = fragile + int((decided["firm"] == "firm").sum())
    if not judged:
        return []
    return [
        f"Of {judged} verdicts for which other seeds or interpretations have been run, {fragile} "
        "change with one of these."
    ]


def lost_and_slips(paper: str) -> tuple[list[str], list[str]]:
    """What the surviving text of a paper lacks, and where it contradicts itself."""
    facts = published(paper)
    return facts["lost"], facts["slips"]


def write_pdf(row: Mapping, folder: Path) -> str | None:
    """Write a paper's summary as a PDF into a folder, where there is LaTeX; returns its name.

    ``row`` is what its page is made of.
    """
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("minority_reports.report", "pages"),
        block_start_string="((*",
        block_end_string="*))",
        variable_start_string="(((",
        variable_end_string=")))",
        comment_start_string="((=",
        comment_end_string="=))",
        trim_blocks=True,
    )
    environment.filters |= {"tex": _tex, "wrapped": _wrapped}
    picture = _picture(row["figure"])
    text = environment.get_template("summary.tex.j2").render(picture=picture, **row)
    name = f"summary_{row['name']}.pdf"
    return name if compile_pdf(text, folder / name) else None


def compile_pdf(source: str, file: Path) -> Path | None:
    """Write a LaTeX document as a PDF; nothing where there is no LaTeX.

    Raises
    ------
    ValueError
        With the first error that LaTeX found.
    """
    program = shutil.which("pdflatex")
    if program is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "a.tex").write_text(source, encoding="utf-8")
        # nothing that a document says is run
        command = [program, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "a"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace")
        if done.returncode:
            error = re.search(r"^!.*(?:\n.*){0,4}", done.stdout, re.MULTILINE)
            said = error[0] if error else done.stdout[-500:]
            raise ValueError(f"LaTeX refuses {file.name}: {said}")
        shutil.move(Path(folder) / "a.pdf", file)
    return file


def _tex(text: str) -> str:
    """Text for LaTeX: letters that its fonts lack without their marks, or as question marks."""
    return "".join(sign if ord(sign) < 0x180 else _bare(sign) for sign in escape(text))


def _bare(sign: str) -> str:
    return unicodedata.normalize("NFKD", sign).encode("ascii", "ignore").decode() or "?"


def _picture(figure: Mapping | None) -> str:
    """The file of a figure that LaTeX can read, a drawing if there is one."""
    if figure is None:
        return ""
    files = [paths.figures() / f"{figure['stem']}.{kind}" for kind in ("pdf", "png")]
    return next(file.as_posix() for file in files if file.exists())


def _wrapped(bibtex: str) -> str:
    """BibTeX in the lines of a narrow column."""
    return "\n".join(
        textwrap.fill(line, 56, subsequent_indent="    ") for line in bibtex.splitlines()
    )
