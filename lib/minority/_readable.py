"""What all classifiers have in common whose model is rules: text, table, query, SQL, notebook."""

from functools import cache
from html import escape

from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if

from minority._condition import format_number, plain_scalar
from minority._sklearn import check_is_fitted

_MOST_ROWS = 30  # of the table in a notebook
_CELL = "text-align: left; padding: 0.1em 0.8em;"


def is_rules(estimator):
    """For `available_if`."""
    return estimator._is_rules()


def has_rules(estimator):
    """Whether an estimator is one of this library whose model is rules."""
    return hasattr(estimator, "_class_totals") and hasattr(estimator, "to_rules")


class RulesMixin:
    """For classifiers that are rules, boxes or trees, and for those that hold one of these.

    A subclass has `to_rules` and, unless they are its text, `to_text`. One with `pos_label_` has a
    positive class; others set `_rarer_code`. It stands before `BaseEstimator`.
    """

    @classmethod
    @cache
    def _get_param_names(cls):
        # scikit-learn reads them from the signature each time, for every fit and every clone.
        return super()._get_param_names()

    def _is_rules(self):
        """Whether the model is rules; of a wrapper, whether the one inside is."""
        return True

    def to_text(self, digits=None, write=None):
        """The model as sentences over the names of the features.

        Parameters
        ----------
        digits : int or None, default=None
            None: the shortest numbers with which the text, read back by `RuleSet.parse`, predicts
            every training example as the model does. A number of significant digits is for
            reading only.
        write : callable, default=None
            See `Rule.to_text`.

        Returns
        -------
        text : str
        """
        check_is_fitted(self)
        return self.to_rules().to_text(digits, write)

    @available_if(is_rules)
    def rules_frame(self, X, y):
        """The rules as a table with their support, precision, recall and lift.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        frame : pandas.DataFrame
            See `RuleSet.frame`.
        """
        check_is_fitted(self)
        return self.to_rules().frame(X, y)

    @available_if(is_rules)
    def to_query(self, label=None):
        """An expression for `pandas.DataFrame.query` that selects the rows predicted as a class.

        Parameters
        ----------
        label : object, default=None
            The class. None: the positive one of two, `pos_label_` if the classifier has it, else
            the rarer one in training (of equals ``classes_[1]``).

        Returns
        -------
        query : str
            Where numexpr is installed, pandas refuses a column that is called like one of its
            functions, such as "sin", unless the query has ``engine="python"``.
        """
        check_is_fitted(self)
        return self.to_rules().to_query(self._label_to_find(label))

    @available_if(is_rules)
    def to_sql(self):
        """The predicted class as an expression of SQL, see `RuleSet.to_sql`.

        Returns
        -------
        sql : str
            A CASE expression: ``SELECT {sql} FROM rows`` predicts, ``WHERE {sql} = 'fraud'``
            selects.
        """
        check_is_fitted(self)
        return self.to_rules().to_sql()

    def _label_to_find(self, label):
        classes = self.classes_.tolist()
        if label is None:
            label = getattr(self, "pos_label_", None)
            if label is None and len(classes) > 2:
                raise ValueError(
                    f"Of the {len(classes)} classes none is the positive one: name the class to "
                    f"select, for instance label={classes[0]!r}."
                )
            label = classes[self._rarer_code] if label is None else plain_scalar(label)
        if label not in classes:
            raise ValueError(f"label={label!r} is not among the classes {classes}.")
        return label

    def _class_totals(self):
        """{class: weight} of the training rows that the rules count, None if it is not known."""
        return None

    def _heading(self):
        """What the text says before the rules."""
        return ""

    def _repr_html_inner(self):
        return super()._repr_html_inner() + self._model_html()

    def _repr_mimebundle_(self, **kwargs):
        bundle = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:  # scikit-learn's diagram, where it is asked for
            bundle["text/html"] += self._model_html()
        return bundle

    def _model_html(self):
        """The fitted model as a table, "" if there is none."""
        try:
            check_is_fitted(self)
        except NotFittedError:
            return ""
        if not self._is_rules():
            return ""
        rules = self.to_rules()
        heading = escape(self._heading())
        return (f"<p>{heading}</p>" if heading else "") + rules_html(rules, self._class_totals())


def rules_html(rules, totals=None):
    """A rule set as a table.

    Parameters
    ----------
    rules : RuleSet
    totals : dict of {class: weight}, default=None
        Of the rows that the rules count, for recall.

    Returns
    -------
    html : str
    """
    told = [*rules.rules, rules.default]
    texts = [rule.conditions_text() for rule in rules.rules]
    texts.append("otherwise" if rules.rules else "every row")
    numbers = [*map(str, range(1, len(told))), ""]
    columns = {"": numbers, "prediction": [str(rule.prediction) for rule in told]}
    columns["conditions"] = texts
    if all(rule.support is not None and rule.correct is not None for rule in told):
        columns["support"] = [format_number(rule.support, 4) for rule in told]
        columns["precision"] = [_share(rule.correct, rule.support) for rule in told]
        if totals is not None:
            columns["recall"] = [_share(rule.correct, totals[rule.prediction]) for rule in told]
    rows = list(zip(*columns.values(), strict=True))
    n_left = len(rows) - 1 - _MOST_ROWS
    if n_left > 0:
        more = ("", "", f"... {n_left} more, see to_text()", *[""] * (len(columns) - 3))
        rows[_MOST_ROWS:-1] = [more]
    head = _row(columns, "th")
    return f"<table><thead>{head}</thead><tbody>{''.join(map(_row, rows))}</tbody></table>"


def _share(part, whole):
    return f"{part / whole:.3g}" if whole else ""


def _row(cells, tag="td"):
    cells = (f'<{tag} style="{_CELL}">{escape(cell)}</{tag}>' for cell in cells)
    return f"<tr>{''.join(cells)}</tr>"
