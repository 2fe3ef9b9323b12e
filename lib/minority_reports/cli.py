"""The command line: data sets, batches of notebooks, verification, the report, own files."""

import contextlib
import importlib
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from textwrap import fill

import click

from minority_reports import __version__, paths
from minority_reports.files import StoreWriteError, replace_file


class _Group(click.Group):
    """Turns errors that a user can mend into one line instead of a traceback."""

    def invoke(self, ctx):
        try:
            return super().invoke(ctx)
        except (BrokenPipeError, click.exceptions.Exit, click.Abort):
            raise  # click's own ways to end: nobody reads on, help was shown, Ctrl-C
        except (OSError, ValueError, RuntimeError) as error:
            raise click.ClickException(str(error)) from error


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="minority")
def main():
    """Five papers on learning from imbalanced data, reproduced."""


@main.command()
@click.argument("name", required=False)
@click.option("--source", help="Only sets from this source (keel, sklearn, simulated, ...).")
@click.option("--paper", help="Only sets that this paper uses.")
def datasets(name, source, paper):
    """List the data sets, or describe the one called NAME."""
    from minority_reports import datasets as registry

    if name:
        for fact, value in registry.describe(name).items():
            shown = ", ".join(map(str, value)) if isinstance(value, tuple) else value
            click.echo(f"{fact:18}{shown}".rstrip())
        return
    table = registry.describe().set_index("name")
    chosen = table.loc[registry.names(source=source, paper=paper)]
    columns = ["n", "d", "positives", "imbalance", "source", "simulated", "origin"]
    click.echo(chosen[columns].to_string(float_format="{:.1f}".format))
    click.echo(f"\n{int(chosen['available'].sum())} of {len(chosen)} can be loaded here.")


@main.command()
@click.argument("names", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Every data set of the registry.")
def fetch(names, everything):
    """Download the data sets called NAMES into the cache, and say what became of each."""
    from minority_reports import datasets

    if bool(names) == everything:
        raise click.BadParameter("give names of data sets, or --all.")
    failed = []
    for name in names or datasets.names():
        try:
            done = datasets.fetch(name)
        except datasets.DatasetUnavailableError as error:
            failed.append(name)
            click.echo(str(error))
        else:
            click.echo(
                f"{done.name}: {done.status}, {done.origin}, sha256 {done.sha256}, {done.n} rows"
            )
    if failed and names:
        raise click.ClickException(f"{len(failed)} of {len(names)} could not be fetched.")
    if failed:
        click.echo(f"\nNot available: {', '.join(failed)}.")


def _notebook_paths(names: tuple[str, ...]) -> list[Path]:
    """Notebooks by number, name or both; all of them without a name."""
    from minority_reports.experiments import near

    known = sorted(paths.notebooks().glob("[0-9][0-9]_*.ipynb"))
    chosen = []
    for name in names:
        stem = Path(name).stem
        found = [p for p in known if stem in (p.stem, p.stem[:2], p.stem[3:])]
        if not found:
            raise click.BadParameter(
                f"no notebook {name!r}. {near(stem, [p.stem[3:] for p in known])}"
            )
        chosen += found
    return chosen or known


def _papermill():
    """The package, imported without what takes a second and serves no notebook."""
    # jsonschema would compile a grammar of addresses with letters of all scripts, if it could
    sys.modules.setdefault("rfc3987_syntax", None)
    return importlib.import_module("papermill")


def _parameters_of(notebook: Path, given: dict) -> dict:
    """Check parameters against what the notebook takes: papermill itself only warns."""
    papermill = _papermill()
    from minority_reports.experiments import near

    takes = papermill.inspect_notebook(notebook)
    for name in given:
        if name not in takes:
            raise click.BadParameter(
                f"{notebook.stem} has no parameter {name!r}. {near(name, takes)}"
            )
    return given


@main.command()
@click.argument("notebooks", nargs=-1)
@click.option("--datasets", help='"all" or a comma list; a path of a CSV file counts.')
@click.option("--each-dataset", is_flag=True, help="One executed notebook for every data set.")
@click.option("--compute", type=click.Choice(["quick", "missing", "all", "none"]))
@click.option("--n-jobs", type=int, help="Processes; -1 for one per core.")
@click.option("-p", "--parameter", "pairs", nargs=2, multiple=True, metavar="NAME VALUE")
@click.option("--output", type=click.Path(path_type=Path), help="Folder for executed notebooks.")
@click.option("--save", is_flag=True, help="Renew the outputs saved in the notebooks themselves.")
def run(notebooks, datasets, each_dataset, compute, n_jobs, pairs, output, save):
    """Execute NOTEBOOKS (all by default) with papermill.

    Notebooks are named by number, name or both: `01`, `box_drawings`, `01_box_drawings`.
    """
    papermill = _papermill()
    if save and (datasets or pairs):
        raise click.BadParameter("--save renews the outputs of the default parameters only.")
    output = paths.writable(output or paths.runs(), "Give another folder with --output.")
    common = {"compute": compute, "n_jobs": n_jobs}
    given = {k: v for k, v in common.items() if v is not None} | dict(pairs)
    variants = [("", {"datasets": datasets} if datasets else {})]
    if each_dataset:
        if not datasets:
            raise click.BadParameter("--each-dataset needs --datasets with the names.")
        variants = [
            (f"__{Path(name).stem}", {"datasets": name})
            for name in map(str.strip, datasets.split(","))
        ]
    jobs = []
    for notebook in _notebook_paths(notebooks):
        takes = papermill.inspect_notebook(notebook)
        for suffix, chosen in variants:
            # Options of this command apply where they mean something; -p must always fit.
            options = {k: v for k, v in (given | chosen).items() if k in takes or k in dict(pairs)}
            target = output / f"{notebook.stem}{suffix}.ipynb"
            jobs.append((notebook, target, _parameters_of(notebook, options), save))
    # What shows stored rows leaves cores idle; what computes uses all, and measures seconds.
    computes = each_dataset or given.get("compute", "quick") not in ("quick", "none")
    at_once = 1 if computes else min(len(jobs), os.cpu_count())
    failed = []
    for (_, target, *_), error in _executed(jobs, at_once):
        if error:
            failed.append(target.name)
            click.echo(f"  failed: {error}", err=True)
    if failed:
        raise click.ClickException(
            f"{len(failed)} failed: {', '.join(failed)}. The executed copies in {output} show "
            "where; rows computed before that are kept."
        )


def _executed(jobs: list[tuple], at_once: int) -> Iterator[tuple[tuple, str]]:
    """Execute notebooks, say how long each took, and yield each with its error, if any."""
    if at_once == 1:
        for job in jobs:
            click.echo(f"  {job[1].stem}", err=True, nl=sys.stderr.isatty())
            error, seconds = _execute(*job, progress_bar=sys.stderr.isatty())
            if not error:
                click.echo(f"  done in {seconds:.0f} s", err=True)
            yield job, error
        return
    # processes of their own share the cores better than their linear algebra does
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, os.cpu_count() // at_once)))
    with ProcessPoolExecutor(at_once) as pool:
        columns = zip(*jobs, strict=True)
        for job, (error, seconds) in zip(jobs, pool.map(_execute, *columns), strict=True):
            done = "" if error else f"  done in {seconds:.0f} s"
            click.echo(f"  {job[1].stem}{done}", err=True)
            yield job, error


def _execute(
    notebook: Path,
    target: Path,
    parameters: dict,
    save: bool = False,
    *,
    progress_bar: bool = False,
) -> tuple[str, float]:
    """Write an executed copy of a notebook; the error, if there was one, and the seconds."""
    papermill = _papermill()
    started = time.perf_counter()
    try:
        papermill.execute_notebook(
            notebook,
            target,
            parameters,
            kernel_name="python3",
            progress_bar=progress_bar,
            # A kernel on the loopback address need not warn that it is not encrypted, nor call it
            # an error that it was interrupted while shutting down; errors in cells are outputs.
            extra_arguments=["--IPKernelApp.log_level=50"],
        )
        if save:
            _save_outputs(target, notebook)
    except papermill.PapermillExecutionError as error:
        return f"{error.ename}: {error.evalue}", 0.0
    return "", time.perf_counter() - started


def _save_outputs(executed: Path, notebook: Path) -> None:
    """Copy outputs into a notebook without what changes from run to run."""
    import nbformat

    source = nbformat.read(notebook, as_version=4)
    cells = nbformat.read(executed, as_version=4).cells
    fresh = [c for c in cells if "injected-parameters" not in c.metadata.get("tags", [])]
    for cell, done in zip(source.cells, fresh, strict=True):
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = done.outputs, done.execution_count
    nbformat.write(source, notebook)


@main.command()
@click.argument("papers", nargs=-1)
@click.option("--only", help="A comma list of figures and tables, such as table5,fig3.")
@click.option("--format", "formats", default="pdf,tex,csv", show_default=True)
@click.option("--width", help="Of figures, such as 3.3in or 84mm; a page's text by default.")
@click.option(
    "--style",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A matplotlib style sheet on top of the project's.",
)
@click.option("-p", "--parameter", "pairs", nargs=2, multiple=True, metavar="NAME VALUE")
@click.option("--output", type=click.Path(path_type=Path), help="Folder for the files.")
def figures(papers, only, formats, width, style, pairs, output):
    """Write the figures and tables of PAPERS (all by default) for a paper of your own.

    Figures are PDF, SVG or PNG in the width and the style asked for, tables LaTeX or CSV. They
    come from the notebooks, which papermill executes from stored rows; `-p` gives these further
    parameters, such as `-p extra_methods my.py:METHODS -p compute missing`.
    """
    papermill = _papermill()
    from minority_reports.experiments.settings import parse_formats, parse_width

    output = paths.writable(output or paths.runs() / "figures", "Give another with --output.")
    for parse, value in ((parse_width, width), (parse_formats, formats)):
        parse(value)  # a mistake is told before anything runs
    looks = {"only": only, "formats": formats, "width": width}
    looks |= {"style": str(style.resolve())} if style else {}
    given = {"compute": "none"} | {name: value for name, value in looks.items() if value}
    given |= dict(pairs)
    with tempfile.TemporaryDirectory() as scratch, _variable("MINORITY_RUNS", scratch):
        jobs = []
        for notebook in _with_figures(_notebook_paths(papers), only):
            takes = papermill.inspect_notebook(notebook)
            options = {k: v for k, v in given.items() if k in takes or k in dict(pairs)}
            jobs.append((notebook, Path(scratch, notebook.name), _parameters_of(notebook, options)))
        errors = [error for _, error in _executed(jobs, min(2, len(jobs))) if error]
        written = sorted(Path(scratch, "figures").glob("*"))
        for file in written:
            shutil.copy(file, output)
    if errors:
        raise click.ClickException(" ".join(errors))
    click.echo(f"{len(written)} files in {output}")


def _with_figures(notebooks: list[Path], only: str | None) -> list[Path]:
    """The notebooks that have the figures and tables asked for; none may be unknown."""
    if not only:
        return notebooks
    from minority_reports.experiments import near
    from minority_reports.report.figures import is_meant, read_index

    prefixes = {notebook.stem: notebook.stem[3:] for notebook in notebooks}
    known = [
        (entry["notebook"], stem.removeprefix(f"{prefixes[entry['notebook']]}_"))
        for stem, entry in read_index(paths.root() / "figures").items()
        if entry["notebook"] in prefixes
    ]
    chosen = set()
    for word in map(str.strip, only.split(",")):
        found = {name for name, slug in known if is_meant(prefixes[name], slug, [word])}
        if not found:
            slugs = dict.fromkeys(slug for _, slug in known)
            raise click.BadParameter(f"no figure or table {word!r}. {near(word, slugs)}")
        chosen |= found
    return [notebook for notebook in notebooks if notebook.stem in chosen]


@contextlib.contextmanager
def _variable(name: str, value: str):
    """Set an environment variable for a while, for processes that are started."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


@main.command()
@click.argument("papers", nargs=-1)
@click.option("--sample", type=click.IntRange(1), help="Tasks drawn at random per experiment.")
@click.option("--at-most", type=float, metavar="SECONDS", help="Leave out tasks that took longer.")
@click.option("--seed", default=0, show_default=True, help="Seed of the sample.")
@click.option("--n-jobs", default=-1, show_default=True, help="Processes; -1 for one per core.")
def verify(papers, sample, at_most, seed, n_jobs):
    """Recompute stored rows of PAPERS and compare; the quick selection without --sample."""
    from minority_reports.experiments import verify as verify_paper
    from minority_reports.papers import select

    agreements = [
        agreement
        for paper in select(",".join(papers)).values()
        for agreement in verify_paper(
            paper, sample=sample, at_most=at_most, seed=seed, n_jobs=n_jobs
        )
    ]
    for agreement in agreements:
        if agreement.compared:
            click.echo(f"  {replace(agreement, unavailable=())}")
    idle = [
        a.experiment + (f" ({a.left_out:,} tasks are too long)" if a.left_out else "")
        for a in agreements
        if not a.compared
    ]
    if idle:
        click.echo(fill(f"Nothing compared of {', '.join(idle)}.", 99, **_INDENT))
    if absent := sorted({name for a in agreements for name in a.unavailable}):
        text = f"Not on this machine, so shown from committed rows only: {', '.join(absent)}."
        click.echo(fill(text, 99, **_INDENT))
    try:
        text = json.dumps([a.counted() for a in agreements], indent=1) + "\n"
        replace_file(_agreement_file(), text, "MINORITY_RUNS")
    except StoreWriteError as error:
        click.echo(f"(Not kept for the report: {error})", err=True)
    differing = [a for a in agreements if a.agreeing < a.compared]
    if differing:
        worst = differing[0].rows.query("not agrees").iloc[0]
        raise click.ClickException(
            f"rows differ from the stored ones, the first: {worst.iloc[:6].to_dict()}"
        )


def _agreement_file() -> Path:
    return paths.runs() / "recomputed.json"


@main.command()
@click.argument("papers", nargs=-1)
@click.option("--n-jobs", default=-1, show_default=True, help="Processes; -1 for one per core.")
def readings(papers, n_jobs):
    """Judge the claims of PAPERS (all by default) over what their texts do not specify."""
    from minority_reports.papers import select
    from minority_reports.report import write_study

    known = {n: p for n, p in select(",".join(papers)).items() if p.readings is not None}
    if not known:
        raise click.ClickException(f"there are no readings of {', '.join(papers)}.")
    parts = os.cpu_count() if n_jobs == -1 else n_jobs
    jobs = [(name, part, parts) for name in known for part in range(parts)]
    with ProcessPoolExecutor(parts) if parts != 1 else contextlib.nullcontext() as pool:
        judged = (pool.map if pool else map)(_judged_readings, *zip(*jobs, strict=True))
        for paper in known.values():
            click.echo(f"  {write_study(paper, [next(judged) for _ in range(parts)])}")


def _judged_readings(name: str, part: int, of: int) -> dict[str, dict]:
    """A part of the judged readings of a paper, from its stored rows."""
    from minority_reports.papers import papers
    from minority_reports.report import judge_part, stored_results

    paper = papers()[name]
    return judge_part(paper, stored_results({name: paper})[name], part, of)


@main.command()
@click.option("--output", type=click.Path(path_type=Path), help="Folder for the pages.")
@click.option("--readme", is_flag=True, help="Renew the README's table of results instead.")
def report(output, readme):
    """Build the HTML report from the executed notebooks and say what it shows."""
    from minority_reports.papers import papers
    from minority_reports.report import (
        build_page,
        count_verdicts,
        coverage,
        judge_all,
        published_papers,
        stored_results,
        with_results,
    )

    known = papers()

    if readme:
        file = paths.root() / "README.md"
        text = file.read_text(encoding="utf-8")
        results = stored_results(known)
        text = with_results(text, judge_all(known, results), coverage(results))
        file.write_text(text, encoding="utf-8")
        return
    executed = [paths.runs() / p.name for p in _notebook_paths(())]
    absent = [p.stem for p in executed if not p.exists()]
    if absent:
        raise click.ClickException(
            f"not executed yet: {', '.join(absent)}. Run `minority run` first."
        )
    file = _agreement_file()
    agreements = json.loads(file.read_text()) if file.exists() else []
    names = published_papers()
    with ProcessPoolExecutor() as pool:
        summaries = dict(zip(names, pool.map(_summarised, names), strict=True))
    page = build_page(executed, summaries, agreements=agreements, folder=output)
    if not agreements:
        click.echo("  No row was recomputed on this machine: run `minority verify`.")
    click.echo("\nThe papers' claims by verdict")
    counts = count_verdicts({name: summary.claims for name, summary in summaries.items()})
    click.echo("  " + counts.to_string().replace("\n", "\n  "))
    click.echo(f"\nOpen in a browser: {page}")


def _summarised(name: str):
    """The summary of a paper from its stored rows."""
    from minority_reports.papers import papers
    from minority_reports.report import stored_results, summarise, unjudged

    if name not in (known := papers()):
        return unjudged(name)
    return summarise(known[name], stored_results({name: known[name]})[name])


@main.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--target", required=True, help="The column to predict.")
@click.option(
    "--positive", default="", help="The value that counts as positive; else the rarer of two."
)
@click.option(
    "--metric", default="g_mean", show_default=True, help="What methods are ranked by; see below."
)
@click.option("--conditions", default=10, show_default=True, help="A model with more is not small.")
@click.option("--folds", default=0, help="Folds; 5 by default, 3 beyond 50,000 rows.")
@click.option("--budget", default="10m", show_default=True, help="Time for all; 0 for no limit.")
@click.option("--methods", default="all", help="A comma list of methods; all by default.")
@click.option("--extra-methods", default="", help="Methods of your own, such as my.py:METHODS.")
@click.option("--time-limit", default=0.0, help="Seconds for a method and a fold.")
@click.option("--n-jobs", default=-1, show_default=True, help="Processes; -1 for one per core.")
@click.option("--seed", default=0, show_default=True, help="Seed of the folds and the learners.")
@click.option("--no-tuning", is_flag=True, help="Only with default parameters.")
@click.option("--output", type=click.Path(path_type=Path), help="Folder for the page.")
def showdown(file, metric, conditions, folds, budget, no_tuning, output, **given):
    """Compare all methods on the table in FILE: which to take, and its rules.

    Metrics: g_mean, f1, average_precision, auroc, balanced_accuracy, brier. Ctrl-C ends the
    comparison and shows what is there; the same command goes on from there.
    """
    started = time.perf_counter()
    from minority_reports.experiments import Settings
    from minority_reports.papers.showdown import PAPER
    from minority_reports.papers.showdown.own import command

    output = paths.writable(output or paths.runs(), "Give another folder with --output.")
    settings = Settings(PAPER, datasets=[str(file.absolute())], **given)
    page = command.run(
        settings,
        click.echo,
        _Progress(),
        metric=metric,
        few=conditions,
        folds=folds,
        budget=command.seconds_of(budget),
        started=started,
        tuned=not no_tuning,
        folder=output,
    )
    click.echo(f"Open in a browser: {page}")


class _Progress:
    """Shows how far something is: in one line of a terminal, else a line now and then."""

    def __init__(self, every: float = 20.0):
        self.every = every
        self.last = time.perf_counter()

    def __call__(self, text: str) -> None:
        if sys.stderr.isatty():
            click.echo(f"\r\033[K  {text}", err=True, nl=False)
        elif time.perf_counter() - self.last >= self.every:
            self.last = time.perf_counter()
            click.echo(f"  {text}", err=True)

    def done(self) -> None:
        """Leave the line."""
        if sys.stderr.isatty():
            click.echo("\r\033[K", err=True, nl=False)


#: The options are those of `python -m minority.large`, which also answers --help.
_ALL_OPTIONS = {"ignore_unknown_options": True, "help_option_names": []}


@main.command(context_settings=_ALL_OPTIONS)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def learn(arguments):
    """Learn rules from a folder of parquet files of any size."""
    _in_batches("learn", *arguments)


@main.command(context_settings=_ALL_OPTIONS)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def inspect(arguments):
    """Write the rows of a folder of parquet files to look at first, and why."""
    _in_batches("inspect", *arguments)


def _in_batches(*arguments: str) -> None:
    from minority.large.__main__ import main as in_batches

    in_batches(arguments, "minority")


_INDENT = {"initial_indent": "  ", "subsequent_indent": "  "}
