"""From a plan of keys to result rows: seeded, parallel, resumable."""

from minority.experiments._limit import Outcome, in_own_process
from minority.experiments._plan import (
    TEST_SHARE,
    Experiment,
    Fold,
    Method,
    Paper,
    Task,
    derive_seed,
    stratified_folds,
    stratified_splits,
)
from minority.experiments._prepare import distinct_rows, numeric_coder, numeric_parts, only_rows
from minority.experiments._provenance import provenance
from minority.experiments._run import ClusterError, Results, compare, compute, run, summary
from minority.experiments._settings import Settings, near
from minority.experiments._store import Store, StoreLockedError, StoreWriteError
from minority.experiments._verify import Agreement, verify

__all__ = [
    "TEST_SHARE",
    "Agreement",
    "ClusterError",
    "Experiment",
    "Fold",
    "Method",
    "Outcome",
    "Paper",
    "Results",
    "Settings",
    "Store",
    "StoreLockedError",
    "StoreWriteError",
    "Task",
    "compare",
    "compute",
    "derive_seed",
    "distinct_rows",
    "in_own_process",
    "near",
    "numeric_coder",
    "numeric_parts",
    "only_rows",
    "provenance",
    "run",
    "stratified_folds",
    "stratified_splits",
    "summary",
    "verify",
]
