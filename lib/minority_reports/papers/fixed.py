"""The estimators with all their parameters, as the papers' protocols build them.

A protocol names every parameter, so that its rows stay what they are when a default changes.
"""

_TREE = {"min_samples_leaf": 2, "laplace": True, "class_weight": None}
_CATEGORIES = {"categorical_features": "from_dtype"}
_COSTS = {"costs": None, "pos_label": None, "n_jobs": None, "random_state": None}
_BOOSTED = {
    "n_estimators": 40,
    "validation_fraction": 2 / 9,
    "pos_label": None,
    "random_state": None,
}
_SVM = {"C": 1.0, "loss": "hinge", "tol": 1e-3, "max_iter": 1_000_000, "random_state": None}
_SMOTE = {"k_neighbors": 5, "gap": "point", **_CATEGORIES, "random_state": None}
_BOXES = {
    "scaling": "minmax",
    "expand": True,
    "nearest": "negative",
    "n_init": 10,
    "random_state": None,
    "n_jobs": None,
}
_EXACT_BOXES = {
    "max_boxes": 3,
    "box_cost": 0.1,
    "condition_cost": 0.0,
    "margin": 0.0,
    "faces": "midgap",
    "solver": "search",
    "formulation": "reduced",
    "penalty": "count",
    "decomposition": None,
    "n_neighbors": 10,
    "closeness": "overall",
    "time_limit": 60.0,
    "max_nodes": None,
    "n_jobs": None,
    **_CATEGORIES,
    "random_state": None,
}
_CHOICE = {
    "scoring": "g_mean",
    "cv": 5,
    "n_repeats": None,
    "pool": True,
    "tolerance": 0.0,
    "max_fits": None,
    "time_limit": 600.0,
    "pos_label": None,
    **_CATEGORIES,
    "random_state": None,
}
_BAGGED = {
    "n_estimators": 100,
    "max_samples": 0.2,
    "bootstrap": True,
    "max_bins": None,
    "n_jobs": None,
    "random_state": None,
}

#: By the name of an estimator, or of a function that builds some.
FIXED = {
    "AdaCostClassifier": {"estimator": None, "cost": 1.0, **_BOOSTED},
    "BaggedTreesClassifier": {"criterion": "gini", "min_samples_leaf": 1, **_BAGGED},
    "BoostingSVMClassifier": {
        "delta": (0.1, 0.2, 0.5, 1.0),
        "kernel": "linear",
        "gamma": "scale",
        "degree": 3,
        **_SVM,
        **_BOOSTED,
    },
    "C45Classifier": {
        "pruning": "error",
        "confidence_factor": 0.25,
        "subtree_raising": True,
        "collapse": True,
        "ruleset": False,
        "costs": None,
        "tol": 1e-5,
        **_TREE,
        **_CATEGORIES,
    },
    "ChiMerge": {
        "method": "minority",
        "significance": 0.05,
        "max_intervals": 255,
        "edges": "midway",
        "pos_label": None,
        "n_jobs": None,
    },
    "CostProportionateClassifier": {"estimator": None, "n_estimators": 1, **_COSTS},
    "DAMVIClassifier": {
        "estimator": None,
        "reweighting": "vote",
        "solver": "nnls",
        "pos_label": None,
        **_BAGGED,
    },
    "DataBoostIMClassifier": {"estimator": None, "max_synthetic": 5_000, **_BOOSTED},
    "ExactBoxesClassifier": {"majority_weight": 0.5, "pos_label": None, **_EXACT_BOXES},
    "ExactBoxesClassifierCV": {
        "condition_costs": (0.01, 0.02, 0.03, 0.05, 0.08, 0.12),
        "max_boxes": (3,),
        "majority_weights": ("balanced",),
        "margins": (0.0,),
        "box_cost": 0.1,
        "faces": "largest",
        "ranking": "depth",
        "max_nodes": 200,
        "n_jobs": None,
        **_CHOICE,
    },
    "FastBoxesClassifier": {
        "n_clusters": 1,
        "expansion": 1.0,
        "majority_weight": 0.5,
        "pos_label": None,
        **_CATEGORIES,
        **_BOXES,
    },
    "FastBoxesClassifierCV": {
        "n_clusters": (1, 2, 3, 4, 6),
        "expansions": (0, 1, 10, 100, 1000),
        "majority_weights": ("0.3*balanced", "balanced", "3*balanced"),
        **_CHOICE,
        **_BOXES,
        "expand": "largest",
    },
    "HellingerTreeClassifier": {**_TREE, **_CATEGORIES},
    "MetaCostClassifier": {
        "estimator": None,
        "n_estimators": 10,
        "max_samples": 1.0,
        "use_all": True,
        "voting": "soft",
        **_COSTS,
    },
    "PercentSampler": {"undersampling": 100, "smote": 0, **_SMOTE},
    "PercentSMOTE": {"percent": 100, **_SMOTE},
    "PRIMClassifier": {
        "peel_alpha": 0.05,
        "paste_alpha": 0.01,
        "min_support": 0.05,
        "criterion": "mean",
        "max_boxes": 5,
        "threshold": None,
        "cv": 3,
        **_CATEGORIES,
        "pos_label": None,
        "class_weight": None,
    },
    "RIPPERClassifier": {
        "n_folds": 3,
        "n_optimizations": 2,
        "min_weight": 2.0,
        "check_error_rate": True,
        "class_weight": None,
        **_CATEGORIES,
        "random_state": None,
    },
    "RLSDClassifier": {
        "min_recall": 0.05,
        "min_precision": None,
        "beta": 2.0,
        "max_rules": 10_000,
        "significance": 0.05,
        "max_intervals": 255,
        "edges": "midway",
        "discretisation": "minority",
        "scored_by": "selected",
        "join": False,
        **_CATEGORIES,
        "pos_label": None,
        "n_jobs": None,
        "random_state": None,
    },
    "SamplingWrapperClassifier": {
        "estimator": None,
        "criterion": "auroc",
        "costs": 1,
        "minority": None,
        "cv": 5,
        "decrement": 10,
        "increment": 100,
        "min_increment": 0.05,
        "look_ahead": 3,
        "max_smote": 5_000,
        **_SMOTE,
        "n_jobs": None,
    },
    "SMOTEBoostClassifier": {
        "estimator": None,
        "oversampling": 200,
        "k_neighbors": 5,
        **_BOOSTED,
    },
    "linear_svm": {"class_weight": None, **_SVM},
    "fast_boxes_path": {"n_clusters": 1, "expansion": 1.0, "feature_names": None, **_BOXES},
    "select_fast_boxes": {
        "n_clusters": range(1, 11),
        "expansions": (0, 1, 3, 10, 30, 100, 300, 1000),
        "cv": 3,
        **_BOXES,
    },
    "exact_boxes_path": _EXACT_BOXES,
}


def fixed(kind, *data, **given):
    """Call an estimator's class, or a function of `FIXED`, with every parameter by name.

    Parameters
    ----------
    kind : type or function
    *data
        What a function takes beside its parameters.
    **given
        Parameters that differ from those in `FIXED`.

    Examples
    --------
    >>> from minority_reports.papers.fixed import fixed
    >>> from minority.trees import C45Classifier
    >>> fixed(C45Classifier, pruning=None)
    C45Classifier(pruning=None)
    """
    return kind(*data, **FIXED[kind.__name__] | given)
