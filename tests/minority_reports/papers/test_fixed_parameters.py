"""Rows do not depend on defaults: protocols name all parameters of the estimators they build."""

import ast
import importlib
import inspect
from pathlib import Path

import pytest

import minority
from minority.boxes import ExactBoxesClassifier
from minority.trees import C45Classifier
from minority_reports import papers
from minority_reports.papers.fixed import FIXED, fixed

PAPERS = ("boosting_svm", "box_drawings", "damvi", "rlsd", "sampling_wrapper", "showdown")
FUNCTIONS = {
    "exact_boxes_path": "minority.boxes",
    "fast_boxes_path": "minority.boxes",
    "select_fast_boxes": "minority.boxes",
    "linear_svm": "minority.ensembles",
}
BUILDERS = {*minority._WHERE, *FUNCTIONS}
FOLDER = Path(papers.__file__).parent


def parameters_of(name):
    """All parameters, but for the data and what goes with them."""
    builder = getattr(importlib.import_module(FUNCTIONS.get(name, "minority")), name)
    if name == "exact_boxes_path":
        builder = ExactBoxesClassifier
    found = set(inspect.signature(builder).parameters)
    data = {"X", "y_positive", "majority_weights"} if name in FUNCTIONS else set()
    return (
        found - data - ({"majority_weight", "pos_label"} if name == "exact_boxes_path" else set())
    )


@pytest.mark.parametrize("name", FIXED)
def test_fixed_are_all_parameters(name):
    assert set(FIXED[name]) == parameters_of(name)


def test_fixed_parameters_are_passed_by_name(monkeypatch):
    monkeypatch.setitem(FIXED, "C45Classifier", FIXED["C45Classifier"] | {"min_samples_leaf": 7})
    model = fixed(C45Classifier, pruning=None)
    expected = FIXED["C45Classifier"] | {"pruning": None}
    assert model.get_params() == expected and model.min_samples_leaf == 7


def protocol_files(paper):
    """The files of a paper's protocol: `protocol.py` and what it imports from the papers."""
    files, found = [FOLDER / paper / "protocol.py"], set()
    while files:
        file = files.pop()
        if file in found:
            continue
        found.add(file)
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(papers.__name__):
                parts = node.module.split(".")[2:]
                imported = FOLDER.joinpath(*parts).with_suffix(".py")
                files += [imported] if parts and imported.is_file() else []
    return sorted(found - {FOLDER / "fixed.py"})


def is_name(node, *names):
    return isinstance(node, ast.Name) and node.id in names


def without_fixed(source):
    """Where an estimator is used in another way than through `fixed`."""
    tree, allowed = ast.parse(source), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args:
            if is_name(node.func, "fixed"):
                allowed.add(node.args[0])
            elif is_name(node.func, "partial") and is_name(node.args[0], "fixed"):
                allowed.add(node.args[1])
            elif is_name(node.func, "isinstance"):
                allowed.update(ast.walk(node.args[1]))
        allowed.update(ast.walk(getattr(node, "annotation", None) or ast.Pass()))
        allowed.update(ast.walk(getattr(node, "returns", None) or ast.Pass()))
    used = (node for node in ast.walk(tree) if isinstance(node, (ast.Name, ast.Attribute)))
    names = {node: node.id if isinstance(node, ast.Name) else node.attr for node in used}
    return [
        f"line {node.lineno}: {name}"
        for node, name in names.items()
        if name in BUILDERS and node not in allowed
    ]


@pytest.mark.parametrize("paper", PAPERS)
def test_protocols_name_every_parameter(paper):
    files = protocol_files(paper)
    assert files
    built = 0
    for file in files:
        source = file.read_text()
        assert not without_fixed(source), file.name
        built += source.count("fixed(")
    assert built > 0


@pytest.mark.parametrize(
    "source",
    [
        "C45Classifier(costs=1)",
        "partial(C45Classifier, costs=1)",
        "LEARNERS = {'c45': C45Classifier}",
        "fixed(SamplingWrapperClassifier, estimator=C45Classifier())",
        "trees.C45Classifier()",
        "linear_svm(random_state=0)",
    ],
)
def test_other_ways_are_found(source):
    assert len(without_fixed(source)) == 1
    assert not without_fixed("def f(x: C45Classifier): return fixed(C45Classifier, costs=1)")
