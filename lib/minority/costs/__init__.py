"""Learning when errors differ in cost, and drawing what that costs."""

from minority.costs._curves import CostCurve, cost_curve, cost_envelope, probability_cost
from minority.costs._matrix import (
    cheapest_class,
    check_costs,
    cost_threshold,
    expected_cost,
    total_cost,
)
from minority.costs._metacost import MetaCostClassifier
from minority.costs._plot import plot_cost_curve
from minority.costs._proportionate import CostProportionateClassifier
from minority.costs._threshold import CostThresholdClassifier

__all__ = [
    "CostCurve",
    "CostProportionateClassifier",
    "CostThresholdClassifier",
    "MetaCostClassifier",
    "cheapest_class",
    "check_costs",
    "cost_curve",
    "cost_envelope",
    "cost_threshold",
    "expected_cost",
    "plot_cost_curve",
    "probability_cost",
    "total_cost",
]
