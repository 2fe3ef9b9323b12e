"""How large a fitted model is, in rules and in conditions."""

import numpy as np


def model_size(model) -> tuple[int, int]:
    """Rules and conditions of a fitted model.

    A box or a leaf is a rule; a side of a box, a comparison in a rule, a split of a tree or a
    coefficient that is not zero is a condition. Of an ensemble all members that vote are counted.
    """
    if hasattr(model, "steps"):  # a pipeline; what is before the model only codes columns
        return model_size(model[-1])
    if hasattr(model, "boxes_"):
        faces = np.isfinite(model.boxes_.lower).sum() + np.isfinite(model.boxes_.upper).sum()
        return len(model.boxes_), int(faces)
    if hasattr(model, "rules_"):
        return len(model.rules_), sum(len(rule) for rule in model.rules_)
    if hasattr(model, "_predictors"):  # histogram gradient boosting has no public list of trees
        leaves = [tree.get_n_leaf_nodes() for trees in model._predictors for tree in trees]
        return sum(leaves), sum(leaves) - len(leaves)
    if hasattr(model, "tree_"):
        return _tree_size(model.tree_)
    if hasattr(model, "trees_"):
        return _total(map(_tree_size, model.trees_))
    if hasattr(model, "voters_"):  # DAMVI: voters without weight are never asked
        trees = zip(model.voters_.trees_, model.weights_, strict=True)
        return _total(_tree_size(tree) for tree, weight in trees if weight > 0)
    if hasattr(model, "n_rounds_"):
        return _total(map(model_size, model.estimators_[: model.n_rounds_]))
    if hasattr(model, "estimators_"):
        return _total(map(model_size, model.estimators_))
    if hasattr(model, "estimator_"):
        return model_size(model.estimator_)
    return 1, int(np.count_nonzero(model.coef_))


def _tree_size(tree) -> tuple[int, int]:
    leaves = int((np.asarray(tree.feature) < 0).sum())
    return leaves, len(tree.feature) - leaves


def _total(sizes) -> tuple[int, int]:
    rules, conditions = zip(*sizes, strict=True)
    return sum(rules), sum(conditions)
