"""Who looks at what a process shows."""

import os


def in_jupyterlab() -> bool:
    """Whether a person has this process's notebook open.

    Jupyter's server tells its kernels which notebook they run; papermill and nbval, which execute
    notebooks without anybody watching, do not.
    """
    return "JPY_SESSION_NAME" in os.environ
