"""From a plan of keys to result rows: seeded, parallel, resumable."""

from minority_reports.experiments.fitting import (
    Fit,
    OnChangedFolds,
    confusion_counts,
    with_random_state,
)
from minority_reports.experiments.jobs import compute, jobs_of
from minority_reports.experiments.limit import Child, Outcome, in_own_process
from minority_reports.experiments.origin import provenance
from minority_reports.experiments.plan import (
    TEST_SHARE,
    Experiment,
    Fold,
    Method,
    Paper,
    Task,
    by_short_name,
    derive_seed,
    stratified_folds,
    stratified_splits,
)
from minority_reports.experiments.prepare import (
    distinct_rows,
    numeric_coder,
    numeric_parts,
    only_rows,
)
from minority_reports.experiments.results import Results, corrected_gaps, kept
from minority_reports.experiments.runner import compare, run, run_all, summary
from minority_reports.experiments.settings import Settings, near
from minority_reports.experiments.store import Store, StoreLockedError
from minority_reports.experiments.verification import Agreement, verify
from minority_reports.experiments.workers import ClusterError
from minority_reports.files import DamagedFileError, StoreWriteError

__all__ = [
    "TEST_SHARE",
    "Agreement",
    "Child",
    "ClusterError",
    "DamagedFileError",
    "Experiment",
    "Fit",
    "Fold",
    "Method",
    "OnChangedFolds",
    "Outcome",
    "Paper",
    "Results",
    "Settings",
    "Store",
    "StoreLockedError",
    "StoreWriteError",
    "Task",
    "by_short_name",
    "compare",
    "compute",
    "confusion_counts",
    "corrected_gaps",
    "derive_seed",
    "distinct_rows",
    "in_own_process",
    "jobs_of",
    "kept",
    "near",
    "numeric_coder",
    "numeric_parts",
    "only_rows",
    "provenance",
    "run",
    "run_all",
    "stratified_folds",
    "stratified_splits",
    "summary",
    "verify",
    "with_random_state",
]
