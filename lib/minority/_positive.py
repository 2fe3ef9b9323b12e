"""Which of two classes is the one to find."""

import numpy as np
from sklearn.utils.multiclass import type_of_target


def not_binary(target):
    """The error for a target of another type than two classes."""
    return ValueError(
        f"Only binary classification is supported. The type of the target is {target}. "
        "Make two classes of it, such as y == label or y > limit."
    )


def rarer(totals):
    """Position of the rarer of two classes, of equals the second one."""
    return 0 if totals[0] < totals[-1] else len(totals) - 1


class PositiveClassMixin:
    """For estimators of two classes with the parameter `pos_label`, the rarer one by default."""

    def _find_positive(self, y, weight=None):
        """Set `classes_` and `pos_label_`; return which examples are positive."""
        target = type_of_target(y, input_name="y", raise_unknown=True)
        if target != "binary":
            raise not_binary(target)
        classes, codes = np.unique(y, return_inverse=True)
        return codes == self._choose_positive(classes, np.bincount(codes, weight))

    def _choose_positive(self, classes, totals):
        """Set `classes_` and `pos_label_`; return the position of the latter."""
        self.classes_ = classes
        labels = self.classes_.tolist()
        if len(labels) < 2 or (totals == 0).any():
            raise ValueError(
                "This classifier needs two classes with weights above zero, but the data have only "
                f"one class or less: {self.classes_[totals > 0].tolist()}. Give rows of both."
            )
        if self.pos_label is not None and self.pos_label not in labels:
            raise ValueError(f"pos_label={self.pos_label!r} is not among the classes {labels}.")
        code = rarer(totals) if self.pos_label is None else labels.index(self.pos_label)
        self.pos_label_ = self.classes_[code]
        return code
