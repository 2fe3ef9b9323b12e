"""Numerical libraries in one thread."""

from functools import cache

from threadpoolctl import ThreadpoolController

_libraries = cache(ThreadpoolController)  # looking for the loaded ones takes milliseconds


def one_thread():
    """A context in which they use no other thread."""
    return _libraries().limit(limits=1)
