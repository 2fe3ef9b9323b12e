"""Work in a process of its own."""

import os
import time
from functools import partial

import numpy as np

from minority_reports.experiments import in_own_process

#: Seconds that no work here takes, however busy the machine is.
NO_LIMIT = 3600
finished = partial(in_own_process, time_limit=NO_LIMIT)


def test_the_result_comes_back():
    outcome = finished(lambda: {"pid": os.getpid(), "n": 3})
    assert outcome.result["n"] == 3
    assert outcome.result["pid"] != os.getpid()
    assert (outcome.timed_out, outcome.error) == (False, "")


def test_work_is_stopped_when_its_time_is_over():
    """Or this would take for ever."""
    outcome = in_own_process(lambda: time.sleep(1e6), time_limit=0.3)
    assert outcome.timed_out
    assert outcome.result is None


def test_compiled_code_is_stopped_too():
    """A matrix product holds no check for signals."""
    big = np.ones((3000, 3000))

    def multiply():
        for _ in range(1000):
            big @ big

    assert in_own_process(multiply, time_limit=0.5).timed_out


def test_an_error_comes_back_as_text():
    outcome = finished(lambda: 1 / 0)
    assert outcome.error == "ZeroDivisionError: division by zero"
    assert outcome.result is None


def test_a_process_that_is_killed_is_an_error():
    outcome = finished(lambda: os._exit(9))
    assert "killed" in outcome.error
    assert not outcome.timed_out


def test_a_library_that_has_used_threads_before_works_in_the_fork():
    from sklearn.ensemble import HistGradientBoostingClassifier
    from threadpoolctl import threadpool_limits

    X, y = np.random.default_rng(0).normal(size=(500, 5)), np.arange(500) % 2
    model = HistGradientBoostingClassifier(max_iter=5)
    with threadpool_limits(2):
        model.fit(X, y)
        outcome = finished(lambda: model.fit(X, y).score(X, y))
    assert outcome.error == ""
    assert outcome.result > 0.5


def test_memory_is_that_of_the_work():
    def fill():
        return float(np.ones(25_000_000).sum())  # 200 MB

    assert 150 < finished(fill).peak_mb < 400
    assert finished(lambda: 0).peak_mb < 50
