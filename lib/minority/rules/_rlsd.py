"""RLSD, rule learning for skewed data sets, as a classifier."""

import warnings
from functools import partial
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
import pandas as pd
from scipy.stats import chi2
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state

from minority import _sklearn
from minority._batches.rows import Batch, InspectionMixin, Rows, table_of, takes_tables
from minority._columns import encode, find_categories, nominal_columns
from minority._condition import OneOf
from minority._positive import PositiveClassMixin
from minority._readable import RulesMixin
from minority._sklearn import StrOptions, _fit_context, check_is_fitted, validate_data
from minority.rules._chimerge import (
    LEVEL,
    MOST_CODES,
    check_method,
    conditions_of,
    find_attributes,
    numeric_intervals,
    shorten_conditions,
)
from minority.rules._rule import Rule, RuleSet, write_conditions

_M = 2.0  # examples that the share of positives counts for in a smoothed precision


class RLSDClassifier(
    InspectionMixin, RulesMixin, PositiveClassMixin, ClassifierMixin, BaseEstimator
):
    r"""Learn rules for a very rare class from its examples, upwards from the most specific.

    Numbers become codes of intervals. Each positive example is a rule, and what two rules have in
    common is a rule again; of these rules, some that are frequent among the positives and precise
    enough are selected until the positives are covered. An example is predicted positive if any
    selected rule covers it; its score is the precision of the best rule that does.

    Use it when positives are very rare, down to one in ten thousand, and only a short list of rows
    can be inspected by hand: `inspect` returns that list with the rule behind each row. Rules are
    built from the positives and only counted on the other rows, so it scales to a large majority
    class. It takes categories and missing values as they are. Data: up to millions of rows, with a
    few dozen to a few thousand positives.

    Not for balanced classes, nor for thousands of positives with many features, where rules beyond
    `max_rules` are dropped at random. `C45Classifier` and `RIPPERClassifier` with class weights are
    often as good in average precision, so compare. If nobody has to read the reason for an alarm, a
    balanced random forest or logistic regression with balanced class weights has a higher G-mean on
    most data.

    Parameters
    ----------
    min_recall : float, default=0.05
        Least share of all positives that a rule covers.

    min_precision : float or None, default=None
        Least share of positives among the training examples that a rule covers. None: where the
        odds of being positive are twice those among all training examples.

    beta : float, default=2.0
        Weight of recall against precision in the F-measure (the paper's :math:`\beta`).

    max_rules : int, default=10_000
        Largest number of rules during generation (the paper's M). Beyond it, rules that are not
        examples themselves are dropped at random, so it must not be below the number of positives.

    significance : float or "corrected", default="corrected"
        Neighbouring intervals are merged unless they differ at this level, see `ChiMerge`. A number
        is the level of each single comparison (the paper's threshold); "corrected" is a level of
        0.05 for a feature as a whole, so that features that tell nothing are dropped.

    max_intervals : int, default=255
        Largest number of intervals of a feature.

    edges : {"midway", "values"}, default="midway"
        Where intervals start, see `ChiMerge`.

    discretisation : {"minority", "classic"}, default="minority"
        The version of `ChiMerge`.

    scored_by : {"qualified", "selected"}, default="qualified"
        The rules that give an example its score. "qualified": all rules with enough recall and
        precision, by their smoothed precision, see the notes. "selected": only the rules of the
        model, by their precision (the paper's).

    join : bool, default=True
        Whether selected rules that are alike but for neighbouring intervals of one feature, or for
        its category, become one, unless their precisions differ significantly (likelihood ratio,
        level 0.05). The rules cover the same examples, with fewer words.

    categorical_features : "from_dtype", None or array-like of bool, int or str, \
            default="from_dtype"
        Which features are nominal. By default the columns of a data frame that are not numeric.

    pos_label : object, default=None
        The class to describe. By default the rarer one; if both are equally frequent,
        ``classes_[1]``.

    n_jobs : int or None, default=None
        Threads. None means 1, -1 all processors.

    random_state : int, RandomState instance or None, default=None
        Chooses the rules that are dropped beyond `max_rules`.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The class labels.

    pos_label_ : object
        The class that the rules describe.

    rules_ : RuleSet
        The selected rules, in the order of selection. `support` and `correct` of a rule count all
        training examples that it covers, whether or not an earlier rule does; those of the default
        count the examples that no rule covers.

    rule_table_ : pandas.DataFrame
        The rules with their support, precision, recall and lift in training.

    min_precision_ : float
        The least precision that was asked for.

    dropped_features_ : list of str
        Features without any information on the class: numbers left with one interval, and
        nominal features with one category.

    n_generated_, n_qualified_ : int
        Number of rules that were generated, and of those with enough recall and precision.

    n_features_in_ : int
        Number of features seen during `fit`.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen during `fit`, if `X` has feature names that are all strings.

    See Also
    --------
    ChiMerge : The discretisation.
    minority.rules.RuleSet : The model, usable on its own.

    Notes
    -----
    In each step the rule with the largest

    .. math:: F_\beta = \frac{\beta^2 + 1}{\beta^2 / \mathrm{recall} + 1 / \mathrm{precision}}

    on the positives that no earlier rule covers is selected; whether it has enough recall and
    precision is asked on all of them. Of equally good rules the one with fewer conditions comes
    first.

    The smoothed precision of a rule that covers :math:`p` positives and :math:`n` negatives is

    .. math:: \frac{p + m \pi}{p + n + m}, \qquad m = 2,

    where :math:`\pi` is the share of positives in training (the m-estimate [2]_): of two rules
    that are never wrong, the one with more examples is the better one.

    Generation follows the paper's Table 1. Where that leaves details open: an example is
    merged with the rules there were before it, and all rules are counted exactly in the end,
    instead of by the increments of the pseudo-code, which miss examples once rules are dropped.

    A missing value is no condition: the rule of an example leaves it out, and no condition on the
    feature holds for it. The same goes for categories that no positive example has. Of a nominal
    feature, at most the 255 categories that are most frequent among the positives are used.

    Beside the data, which are not copied, `fit` holds one byte for each example and feature.

    A table in batches is read in five passes: the target, then the positive examples with the
    ranges of all columns, the counts in intervals, the matches of rules, and the rows of the
    selected ones. Only positive examples are kept, and the model is the one that all rows in memory
    have, however they are cut into files, batches or partitions, and on any number of workers.
    Unless rules beyond `max_rules` are dropped, it does not depend on the order of the rows either.
    Methods that take rows take tables too, and give an iterator of arrays, one for each batch, or
    an array of Dask.

    References
    ----------
    .. [1] J. Zhang, E. Bloedorn, L. Rosen and D. Venese, "Learning rules from highly unbalanced
       data sets", Proceedings of the 4th IEEE International Conference on Data Mining, 2004.
    .. [2] B. Cestnik, "Estimating probabilities: a crucial task in machine learning", Proceedings
       of the 9th European Conference on Artificial Intelligence, 1990.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from sklearn.model_selection import train_test_split
    >>> from minority import RLSDClassifier
    >>> rng, n = np.random.default_rng(0), 20_000
    >>> X = pd.DataFrame({"amount": rng.lognormal(4, 1, n), "hour": rng.integers(0, 24, n)})
    >>> X["country"] = rng.choice(["AT", "CH", "DE", "FR"], n)
    >>> risky = (X["amount"] > 200) & (X["hour"] < 6) & (X["country"] == "FR")
    >>> y = (risky & (rng.random(n) < 0.7)).map({True: "fraud", False: "fine"})
    >>> X, X_test, y, y_test = train_test_split(X, y, stratify=y, random_state=0)
    >>> model = RLSDClassifier(significance=0.001).fit(X, y)
    >>> print(model.to_text())
    1. fraud if amount >= 203.7 and hour < 5 and country = FR  [49 of 68]
    2. fraud if amount >= 203.7 and hour >= 5 and country = FR  [10 of 268]
    3. fraud if hour < 5 and country = FR  [50 of 749]
    otherwise fine  [13983 of 13983]

    >>> shortlist = model.inspect(X_test, budget=0.005)
    >>> found = y_test[shortlist.index] == "fraud"
    >>> print(f"{found.sum()} of {(y_test == 'fraud').sum()} frauds in {len(found)} rows")
    15 of 20 frauds in 25 rows
    """

    _parameter_constraints: ClassVar[dict] = {
        "min_recall": [_sklearn.Interval(Real, 0, 1, closed="both")],
        "min_precision": [_sklearn.Interval(Real, 0, 1, closed="both"), None],
        "beta": [_sklearn.Interval(Real, 0, 1e6, closed="both")],
        "max_rules": [_sklearn.Interval(Integral, 1, 10**7, closed="both")],
        "significance": [_sklearn.Interval(Real, 0, 1, closed="right"), StrOptions({"corrected"})],
        "max_intervals": [_sklearn.Interval(Integral, 1, MOST_CODES, closed="both")],
        "edges": [StrOptions({"midway", "values"})],
        "discretisation": [StrOptions({"minority", "classic"})],
        "scored_by": [StrOptions({"qualified", "selected"})],
        "join": ["boolean"],
        "categorical_features": [StrOptions({"from_dtype"}), "array-like", None],
        "pos_label": "no_validation",
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        min_recall=0.05,
        min_precision=None,
        beta=2.0,
        max_rules=10_000,
        significance="corrected",
        max_intervals=MOST_CODES,
        edges="midway",
        discretisation="minority",
        scored_by="qualified",
        join=True,
        categorical_features="from_dtype",
        pos_label=None,
        n_jobs=None,
        random_state=None,
    ):
        self.min_recall = min_recall
        self.min_precision = min_precision
        self.beta = beta
        self.max_rules = max_rules
        self.significance = significance
        self.max_intervals = max_intervals
        self.edges = edges
        self.discretisation = discretisation
        self.scored_by = scored_by
        self.join = join
        self.categorical_features = categorical_features
        self.pos_label = pos_label
        self.n_jobs = n_jobs
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Learn the rules.

        Parameters
        ----------
        X : DataFrame, array-like of shape (n_samples, n_features) or table
            Training examples. NaN is missing. A table is a dataset of pyarrow or a data frame of
            Dask, see the notes.
        y : array-like of shape (n_samples,), or str for a table
            Their classes, of which there must be two; of a table the column that has them. All its
            other columns are features.

        Returns
        -------
        self : RLSDClassifier
        """
        # Compiled functions are loaded here: the rules themselves work without numba.
        from minority.rules._rlsd_codes import first_conditions, make_coder
        from minority.rules._rlsd_kernels import find_rules

        rows = self._rows(X, y)
        n_positives = len(rows.minority.positive)
        if n_positives > self.max_rules:
            raise ValueError(
                f"max_rules={self.max_rules} is below the number of positive examples, "
                f"{n_positives}, each of which is a rule that is never dropped: raise max_rules."
            )
        share = n_positives / rows.n_rows
        self.min_precision_ = (
            2 * share / (1 + share) if self.min_precision is None else float(self.min_precision)
        )
        names = self._names()
        attributes = find_attributes(
            rows,
            names,
            self._categories or [None] * len(names),
            method=self.discretisation,
            significance=self.significance,
            max_intervals=self.max_intervals,
            edges=self.edges,
            n_jobs=self.n_jobs,
        )
        kept = {attribute.column for attribute in attributes}
        self.dropped_features_ = [name for j, name in enumerate(names) if j not in kept]
        rows = rows.map(partial(_coded, make_coder(attributes), self.n_jobs))
        found = find_rules(
            rows,
            first_conditions(attributes),
            min_recall=self.min_recall,
            min_precision=self.min_precision_,
            beta=float(self.beta),
            max_rules=int(self.max_rules),
            rng=np.random.default_rng(check_random_state(self.random_state).randint(2**31 - 1)),
            n_jobs=self.n_jobs,
        )
        self.n_generated_, self.n_qualified_ = found.n_generated, len(found.rules)
        used = self._keep_rules(found, attributes, share)
        attributes = [attributes[a] for a in used]
        look = partial(
            _look_at_rules,
            used=used,
            rules=self._codes,
            first=self._first,
            intervals=numeric_intervals(attributes)[1],
        )
        merges = np.minimum, np.maximum, np.add
        least, largest, n_found = rows.total(look, *merges, told="counting rows of selected rules")
        self._attributes = shorten_conditions(attributes, least, largest)
        self._describe(n_found, n_positives, rows.n_rows)
        return self

    def _rows(self, X, y):
        """The examples, in memory or in batches."""
        table = table_of(X)
        if table is None:
            nominal = nominal_columns(X, self.categorical_features)
            self._categories = None if nominal is None else find_categories(X, nominal)
            X, y = self._validate(X, y)
            return Rows(Batch(X, self._find_positive(y)))
        from minority._batches.examples import read_rows

        check_method(self.discretisation)
        options = {"categorical_features": self.categorical_features}
        rows, self._categories = read_rows(self, table, y, **options)
        return rows

    def _keep_rules(self, found, attributes, share):
        """Set the rules that predict and those that score; return which attributes they use."""
        from minority.rules._rlsd_codes import NONE, first_conditions, make_coder
        from minority.rules._rlsd_kernels import join_rules, undominated

        hits, support = found.positives, found.positives + found.negatives
        codes = found.rules[found.selected]
        by_score = self.scored_by == "qualified"
        used = np.flatnonzero(((found.rules if by_score else codes) != NONE).any(axis=0))
        attributes = [attributes[a] for a in used]
        self._coder, self._first = make_coder(attributes), first_conditions(attributes)
        self._codes = codes[:, used]
        self._joined = join_rules(
            self._codes,
            hits[found.selected],
            found.negatives[found.selected],
            self._first,
            [isinstance(attribute.conditions[0], OneOf) for attribute in attributes],
            chi2.isf(LEVEL, df=1) if self.join else -1.0,  # which all differences exceed
        )
        parts = [found.selected[members] for members in self._joined.values()]
        self._hits = np.array([hits[part].sum() for part in parts], dtype=np.int64)
        self._support = np.array([support[part].sum() for part in parts], dtype=np.int64)
        self._precision = self._hits / self._support
        if by_score:
            score = (hits + _M * share) / (support + _M)
            order = np.argsort(-score, kind="stable")
            order = order[undominated(found.rules[order][:, used], self._first)]
            self._scoring, self._score = found.rules[order][:, used], score[order]
            self._reason = np.arange(len(order))
        else:
            rule_of = np.empty(len(codes), dtype=np.int64)
            for number, members in enumerate(self._joined.values()):
                rule_of[members] = number
            order = np.argsort(-self._precision[rule_of], kind="stable")
            self._scoring, self._reason = self._codes[order], rule_of[order]
            self._score = self._precision[self._reason]
        return used

    def _describe(self, n_found, n_positives, n_rows):
        """Set `rules_` and `rule_table_`; `n_found` are numbers of rows and positives covered."""
        rules = [
            Rule(conditions_of(rule, self._attributes), self.pos_label_, n, correct)
            for rule, n, correct in zip(self._joined, self._support, self._hits, strict=True)
        ]
        other = self.classes_[self.classes_ != self.pos_label_][0]
        n_left, n_missed = n_rows - n_found[0], n_positives - n_found[1]
        default = Rule((), other, n_left, n_left - n_missed)
        self.rules_ = RuleSet(rules, default, self._names())
        self._totals = {self.pos_label_: n_positives, other: n_rows - n_positives}
        columns = {
            "conditions": [rule.conditions_text() for rule in self.rules_],
            "support": self._support,
            "precision": self._precision,
            "recall": self._hits / n_positives,
            "lift": self._precision / (n_positives / n_rows),
        }
        self.rule_table_ = pd.DataFrame(columns, pd.RangeIndex(1, len(rules) + 1, name="rule"))
        if not rules:
            warnings.warn(
                f"No rule reaches both the least recall, {self.min_recall:g}, and the least "
                f"precision, {self.min_precision_:g}: {other} is predicted everywhere. Lower "
                "min_recall or min_precision, or raise significance or max_rules.",
                stacklevel=4,
            )

    def _retell(self, X, y):
        """Have the text hold for other rows, and count them."""
        from minority.rules._rlsd_codes import find_extremes

        intervals = numeric_intervals(self._attributes)[1]
        extremes = find_extremes(self._validate(X, reset=False), *intervals)
        self._attributes = shorten_conditions(self._attributes, *extremes)
        self.rules_ = self.rules_.shorten(X).recount(X, y, overlap=True)
        self._totals = {label: np.sum(np.asarray(y) == label) for label in self.classes_}
        self.rule_table_["conditions"] = [rule.conditions_text() for rule in self.rules_]

    def _names(self):
        names = getattr(self, "feature_names_in_", None)
        return [f"x{j}" for j in range(self.n_features_in_)] if names is None else names.tolist()

    def _validate(self, X, *y, reset=True):
        X = X if self._categories is None else encode(X, self._categories)
        options = {"dtype": [np.float64, np.float32], "ensure_all_finite": "allow-nan"}
        return validate_data(self, X, *y, **options, reset=reset)

    def _best(self, X):
        """The score of each row, and which of the rules that score gave it; -1 if none."""
        from minority.rules._rlsd_codes import encoded_blocks, first_match

        check_is_fitted(self)
        blocks = encoded_blocks(self._coder, self._validate(X, reset=False), self._first)
        best = first_match(self._scoring, blocks, self._first)
        return np.append(self._score, 0.0)[best], best

    @takes_tables
    def predict_proba(self, X):
        """Precision in training of the best rule that covers an example, 0 if none does.

        Which rules these are, and whether their precision is smoothed, is said by `scored_by`.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_samples, n_features)

        Returns
        -------
        probability : ndarray of shape (n_samples, 2)
            In the order of `classes_`. Made for ranking: precision in training is not calibrated,
            and as rules for a rare class are rarely precise, the positive class may be predicted
            at less than 1/2.
        """
        return self._both(self._best(X)[0])

    def _scored(self, X):
        score, best = self._best(X)
        return score, np.append(self._reason, -1)[best]

    def _both(self, score):
        both = np.column_stack([1 - score, score])
        return both if self.pos_label_ == self.classes_[1] else both[:, ::-1]

    def _scoring_rules(self):
        """The rules that score, best first: a rule, its score, and its number in `inspect`."""
        rules = self._decisions()[0].rules
        return zip(rules, self._score.tolist(), self._reason.tolist(), strict=True)

    def _decisions(self):
        """The rules that score, best first, and the probabilities that they give."""
        rules = [Rule(self._scoring_conditions(codes), self.pos_label_) for codes in self._scoring]
        default = self.rules_.default.prediction
        return RuleSet(rules, default, self._names()), self._both(np.append(self._score, 0.0))

    @takes_tables
    def predict(self, X):
        """Predict the positive class for the examples that any selected rule covers.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_samples, n_features)

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        from minority.rules._rlsd_codes import encoded_blocks, first_match

        check_is_fitted(self)
        blocks = encoded_blocks(self._coder, self._validate(X, reset=False), self._first)
        is_positive = first_match(self._codes, blocks, self._first) >= 0
        return self.classes_[(is_positive == (self.pos_label_ == self.classes_[1])).astype(int)]

    def _reason_text(self, number):
        if self.scored_by == "selected":
            return self.rules_.rules[number].conditions_text()
        return write_conditions(self._scoring_conditions(self._scoring[number]))

    def _scoring_conditions(self, codes):
        codes = [() if code == MOST_CODES else (code,) for code in codes.tolist()]
        return conditions_of(codes, self._attributes)

    def to_rules(self):
        """The model on its own: `rules_`.

        Returns
        -------
        rules : RuleSet
        """
        check_is_fitted(self)
        return self.rules_

    def _class_totals(self):
        return self._totals

    def __str__(self):
        if not hasattr(self, "rules_"):
            return repr(self)
        *lines, default = self.to_text().splitlines()
        measures = [
            f"  precision {row.precision:.3g}, recall {row.recall:.3g}, lift {row.lift:.3g}"
            for row in self.rule_table_.itertuples()
        ]
        return "\n".join([*map("".join, zip(lines, measures, strict=True)), default])

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.allow_nan = True
        return tags


def _coded(coder, n_jobs, batch):
    from minority.rules._rlsd_codes import encode as encode_numbers

    return batch._replace(codes=encode_numbers(coder, batch.X, n_jobs))


def _look_at_rules(batch, *, used, rules, first, intervals):
    """The extremes of a batch in the intervals of rules, and its rows and positives covered."""
    from minority.rules._rlsd_codes import blocks_of, find_extremes, first_match

    covered = first_match(rules, blocks_of(batch.codes, first, used), first) >= 0
    n_found = np.array([covered.sum(), (covered & batch.positive).sum()])
    return (*find_extremes(batch.X, *intervals), n_found)
