"""Learning from tables of any size, and inspecting them.

`RLSDClassifier`, `FastBoxesClassifier` and `ChiMerge` take a `pyarrow.dataset.Dataset` or a
`dask.dataframe` in place of rows in memory, and the name of the target's column. Here is what such
work needs besides: rules as files, hits as folders, bars of progress, and a command line, ``python
-m minority.large``.
"""

from minority._batches.progress import show_progress
from minority.large._hits import write_hits
from minority.large._model import ScoredRules, load_rules, save_rules

__all__ = ["ScoredRules", "load_rules", "save_rules", "show_progress", "write_hits"]
