"""What the committed rows say of the runs that computed them."""

import subprocess

import pandas as pd
import pytest

from minority_reports import paths
from minority_reports.experiments import Store
from minority_reports.experiments.origin import read_provenance
from minority_reports.experiments.store import TASK
from minority_reports.papers import papers

EXPERIMENTS = {e.name: e for paper in papers().values() for e in paper.experiments.values()}


def is_in_history(commit):
    command = ["git", "merge-base", "--is-ancestor", commit, "HEAD"]
    return subprocess.run(command, cwd=paths.root(), capture_output=True).returncode == 0


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_committed_row_names_the_run_that_computed_it(name):
    store = Store.of(EXPERIMENTS[name], paths.committed_results())
    timings, rows = store.timings(), store.rows()
    assert set(timings["run"]) <= set(read_provenance(paths.committed_results()))
    tasks = rows[list(TASK)].drop_duplicates()
    assert len(tasks) == len(tasks.merge(timings[list(TASK)]))


def test_runs_name_commits_of_this_history_or_say_why_not():
    whole = subprocess.run(
        ["git", "rev-parse", "--is-shallow-repository"],
        cwd=paths.root(),
        capture_output=True,
        text=True,
    )
    if whole.returncode or whole.stdout.strip() != "false":
        pytest.skip("no checkout with all of its history")
    runs = pd.DataFrame.from_dict(read_provenance(paths.committed_results()), orient="index")
    unknown = [
        c for c in runs.loc[runs["note"].isna(), "commit"] if not is_in_history(c.split()[0])
    ]
    assert not unknown
