"""Work in a process of its own."""

import os
import time

import numpy as np

from minority_reports.experiments import in_own_process


def test_the_result_comes_back():
    outcome = in_own_process(lambda: {"pid": os.getpid(), "n": 3}, time_limit=20)
    assert outcome.result["n"] == 3
    assert outcome.result["pid"] != os.getpid()
    assert (outcome.timed_out, outcome.error) == (False, "")


def test_work_is_stopped_when_its_time_is_over():
    started = time.perf_counter()
    outcome = in_own_process(lambda: time.sleep(60), time_limit=0.3)
    assert outcome.timed_out
    assert outcome.result is None
    assert time.perf_counter() - started < 10


def test_compiled_code_is_stopped_too():
    """A matrix product holds no check for signals."""
    big = np.ones((3000, 3000))

    def multiply():
        for _ in range(1000):
            big @ big

    assert in_own_process(multiply, time_limit=0.5).timed_out


def test_an_error_comes_back_as_text():
    outcome = in_own_process(lambda: 1 / 0, time_limit=20)
    assert outcome.error == "ZeroDivisionError: division by zero"
    assert outcome.result is None


def test_a_process_that_is_killed_is_an_error():
    outcome = in_own_process(lambda: os._exit(9), time_limit=20)
    assert "killed" in outcome.error
    assert not outcome.timed_out


def test_a_library_that_has_used_threads_before_works_in_the_fork():
    from sklearn.ensemble import HistGradientBoostingClassifier
    from threadpoolctl import threadpool_limits

    X, y = np.random.default_rng(0).normal(size=(500, 5)), np.arange(500) % 2
    model = HistGradientBoostingClassifier(max_iter=5)
    with threadpool_limits(2):
        model.fit(X, y)
        outcome = in_own_process(lambda: model.fit(X, y).score(X, y), time_limit=60)
    assert outcome.error == ""
    assert outcome.result > 0.5


def test_memory_is_that_of_the_work():
    def fill():
        return float(np.ones(25_000_000).sum())  # 200 MB

    assert 150 < in_own_process(fill, time_limit=20).peak_mb < 400
    assert in_own_process(lambda: 0, time_limit=20).peak_mb < 50
