"""Random states of folds: a method's own, or shared by name."""

import numpy as np
import pandas as pd

from minority_reports.experiments import by_short_name
from toy import experiment

X = pd.DataFrame({"x": np.arange(12.0)})
Y = np.tile([0, 0, 1], 4)


def states(**changes):
    """Random state of every task of one data set."""
    plan = experiment(datasets=("iris0",), **changes)
    return {
        (task.method, task.repeat, task.fold): plan.fold_of(task, X, Y).random_state
        for task in plan.tasks()
    }


def test_by_default_every_task_draws_its_own_numbers():
    found = states()
    assert len(set(found.values())) == len(found)
    assert not set(found.values()) & set(states(name="toy-table2").values())


def test_paired_methods_and_experiments_draw_the_same_numbers():
    found = states(paired="toy")
    assert found == states(paired="toy", name="toy-table2")
    for (_, repeat, fold), state in found.items():
        assert state == found["count", repeat, fold]
    assert len(set(found.values())) == len(found) / 2
    assert not set(found.values()) & set(states(paired="other").values())


def test_an_experiment_can_draw_the_numbers_of_another_ones_method():
    found, others = states(paired=("toy-table3", "count")), states(name="toy-table3")
    assert {
        state for (_, *fold), state in found.items() if state != others["count", *fold]
    } == set()


def test_each_method_can_draw_the_numbers_of_its_own_name_elsewhere():
    """Up to a colon, behind which a name says what is changed."""
    methods = experiment().methods
    changed = {f"{name}:edges=values": method for name, method in methods.items()}
    others = states(name="toy-table3")
    found = states(paired=("toy-table3", None), methods={**methods, **changed})
    assert len(found) == 2 * len(others)
    for (method, *fold), state in found.items():
        assert state == others[method.removesuffix(":edges=values"), *fold]


def test_a_short_name_is_what_follows_that_of_the_paper():
    first, second = experiment(name="toy-table3"), experiment(name="toy-table3-levels")
    assert by_short_name(second, first) == {"table3-levels": second, "table3": first}
    assert list(by_short_name(second, first)) == ["table3-levels", "table3"]
