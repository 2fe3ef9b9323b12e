"""What a comparison on a user's own file comes to: advice, rules, tables, code."""

from dataclasses import dataclass

import pandas as pd

from minority_reports.experiments import Child, Settings
from minority_reports.papers.showdown.own.code import code_for
from minority_reports.papers.showdown.own.comparison import MOST_ROWS, Comparison
from minority_reports.papers.showdown.own.evidence import cost_table, lift_table
from minority_reports.papers.showdown.own.models import model_of
from minority_reports.papers.showdown.own.ranking import called, mean_text
from minority_reports.papers.showdown.own.recommend import FEW_CONDITIONS, Advice, advise
from minority_reports.papers.showdown.own.rules import (
    MOST_RULES,
    on_held_out,
    rules_of,
    stability,
    text_of,
    weights_of,
)
from minority_reports.papers.showdown.protocol import METRICS, sample_rows
from minority_reports.papers.showdown.tables import count

#: Seconds of the reserve that are left for the figures and the page.
_PAGE_SECONDS = 6.0


@dataclass(frozen=True)
class Model:
    """A model that can be read, learned from as many rows as there is time for."""

    entrant: pd.Series
    #: What it was learned from, in words.
    learned: str
    #: Its rules on held-out rows (see `on_held_out`), or its weights; None if it has none.
    rules: pd.DataFrame | None = None
    weights: pd.Series | None = None
    #: What it prints of itself, if it is of another kind.
    text: str = ""

    @property
    def title(self) -> str:
        """What it is."""
        return f"{called(self.entrant)}, learned from {self.learned}"

    def notes(self) -> list[str]:
        """What a reader of the rules should know."""
        texts = []
        if self.rules is not None:
            told = stability(self.rules)
            texts.append(
                f"{count(told['rules'], 'rule')}, {told['stable']} of which most folds find again. "
                "Support, precision and recall are those of held-out rows: each rule is looked for "
                "among the rules of the models of the folds (same if they share at least half of "
                "the rows they cover), and counted on the rows that these did not learn from. A "
                "rule that is seldom found again may be chance."
            )
            if len(self.rules) > MOST_RULES:
                texts.append(f"The first {MOST_RULES} are shown; the code prints all.")
        if self.weights is not None:
            texts.append(
                "Weights of the standardised columns: above zero, higher values speak for a "
                "positive."
            )
        return texts


@dataclass(frozen=True)
class Findings:
    """Everything that is told of a comparison."""

    comparison: Comparison
    settings: Settings
    advice: Advice
    models: list[Model]

    @classmethod
    def of(
        cls, comparison: Comparison, settings: Settings, few: int = FEW_CONDITIONS
    ) -> "Findings":
        """Judge a comparison and learn the models that are shown from all rows."""
        advice = advise(comparison, few)
        shown = [e for e in (advice.chosen, advice.small) if e is not None]
        if len(shown) == 2 and shown[0].name == shown[1].name:
            shown.pop()
        models = [_model(comparison, entrant, len(shown)) for entrant in shown]
        return cls(comparison, settings, advice, [m for m in models if m is not None])

    def lift(self) -> pd.DataFrame:
        """See `lift_table`, of the model to take, or else of the best."""
        return lift_table(self.comparison, *self._key(self.subject))

    def costs(self) -> pd.DataFrame:
        """See `cost_table`, of the same."""
        return cost_table(self.comparison, *self._key(self.subject))

    @property
    def subject(self) -> pd.Series | None:
        """What tables and curves are about: what to take, else the best."""
        return self.advice.best if self.advice.chosen is None else self.advice.chosen

    @staticmethod
    def _key(entrant: pd.Series) -> tuple[str, str]:
        return entrant["method"], entrant["setting"]

    def codes(self) -> dict[str, str]:
        """Code for what to take and for the best, by what it is; not for methods of a user."""
        found = {}
        metric = self.comparison.plan.metric
        for entrant in self.advice.shown:
            if self.advice.chosen is None or entrant["method"] in self.settings.extra.methods:
                continue
            contestant = self.comparison.contestants[entrant["method"]]
            text = f"{called(entrant)}: {METRICS[metric]} {mean_text(entrant, metric)}"
            (name,) = self.settings.own
            found[called(entrant)] = code_for(entrant, contestant, text, name, self.settings)
        return found


def _model(comparison: Comparison, entrant: pd.Series, n_models: int) -> Model | None:
    """Learn a model from all rows if there is time, else take what is known from a fold.

    Nothing for a model that has nothing to read.
    """
    plan = comparison.plan
    contestant = plan.contestants[entrant["method"]].contestant
    X, y = plan.data.X, plan.data.y

    def learn():
        rows = sample_rows(y, contestant.max_rows, plan.seed)
        model = model_of(contestant, entrant["configuration"], plan.seed)
        model.fit(X.iloc[rows], y[rows])
        return rules_of(model, X), weights_of(model), text_of(model), len(rows)

    seconds = plan.time_limit
    if plan.budget:
        seconds = min(seconds, (plan.reserve + plan.left - _PAGE_SECONDS) / n_models)
    outcome = Child(learn).outcome(max(0.0, seconds))
    kept = comparison.of(entrant["method"], entrant["setting"])
    of_folds = {round: part.rules for round, part in kept.items() if part.rules is not None}
    if outcome.result is not None:
        rules, weights, text, n = outcome.result
        learned = f"all {n:,} rows" if n == plan.data.n else f"{n:,} of {plan.data.n:,} rows"
    elif of_folds:
        (round, rules), weights, text = next(iter(of_folds.items())), None, ""
        n = min(plan.data.n - len(plan.test_rows(*round)), contestant.max_rows or MOST_ROWS)
        learned = f"{n:,} rows of the first fold's training part, as time was short"
    else:
        return None
    if rules is None:
        return Model(entrant, learned, None, weights, text) if text or weights is not None else None
    tested = ((other, plan.test_rows(*round)) for round, other in of_folds.items())
    return Model(entrant, learned, on_held_out(rules, tested, y))
