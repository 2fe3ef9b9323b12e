"""A bar for each pass over a table, where one is asked for."""

from contextlib import contextmanager, nullcontext
from contextvars import ContextVar

from minority._extras import optional

_is_shown = ContextVar("progress of passes is shown", default=False)


@contextmanager
def show_progress(show=True):
    """Show a bar for each pass over a dataset of pyarrow, with what it does and how many rows.

    Parameters
    ----------
    show : bool, default=True

    Notes
    -----
    Of Dask's data frames, `dask.diagnostics.ProgressBar` and the dashboard of a cluster show more.

    Examples
    --------
    >>> from minority.large import show_progress
    >>> with show_progress():
    ...     pass  # model.fit(dataset, "fraud")
    """
    token = _is_shown.set(show)
    try:
        yield
    finally:
        _is_shown.reset(token)


class _NoBar:
    def update(self, n):
        pass


def progress_bar(told, n_rows):
    """A context of a bar for a pass, which is told of the rows that are done."""
    if told is None or not _is_shown.get():
        return nullcontext(_NoBar())
    tqdm = optional("tqdm", "large").tqdm
    return tqdm(total=n_rows, desc=told, unit=" rows", unit_scale=True)
