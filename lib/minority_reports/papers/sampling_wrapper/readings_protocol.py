"""The searches by F and by AUROC under every reading of the rule for SMOTE.

All readings look at the same inner models, so that one fold computes them together. The searches
with costs stay as printed: with 13 ratios each they would be thirteen times the work.
"""

from dataclasses import dataclass, replace
from functools import cache

from minority_reports.experiments import Fold
from minority_reports.papers.sampling_wrapper.protocol import MAIN, _with_learners
from minority_reports.papers.sampling_wrapper.schemes import (
    COST_FREE,
    Answers,
    cut_row,
    inner_models,
    parts_of,
    path_fits,
    trained_at,
)
from minority_reports.report import Choice, Level, factorial, named

_EXPLORED = "explored before: levels against those of Tables 2 and 3"
GAIN = Choice(
    "gain",
    "Which gain is enough for more SMOTE? (At once the fall that a majority class may have in a "
    "step of undersampling.)",
    (
        Level("5%", "“set at 5% for our experiments”, section 2.3"),
        Level("2%", f"between 5 % and any gain; {_EXPLORED}", seen=True),
        Level("1%", f"between 5 % and any gain; {_EXPLORED}", seen=True),
        Level(
            "any",
            "“This process repeats, greedily, until no performance gains are observed”, section "
            "2.3; from an AUROC above 0.952 no gain of 5 % is possible, and yet Tables 2 and 3 "
            "have SMOTE there",
            seen=True,
        ),
    ),
)
RESET = Choice(
    "reset",
    "To which amount of SMOTE does the search go back when it has failed?",
    (
        Level("last", "line 21 of Figure 3: LookupAhead steps back, to the last accepted level"),
        Level(
            "short",
            "“reset to the value discovered prior to the look-aheads”, section 2.3: the level that "
            "failed first was tried before the look-aheads, so that 100 % more are kept",
            seen=True,
        ),
        Level("never", f"a slip like the two others of the figures; {_EXPLORED}", seen=True),
    ),
)
AHEAD = Choice(
    "ahead",
    "How many further levels are tried after one that failed?",
    (
        Level("2", "“we look ahead two more steps”, section 2.3"),
        Level("3", "“LookupAheadValue = 3”, line 2 of Figure 3, taken as steps after the failure"),
        Level("0", "the greedy search before its “important caveat”, section 2.3"),
    ),
)
#: What of a reading each level means for `InnerModels.search`.
MARGIN_OF = {"5%": 0.05, "2%": 0.02, "1%": 0.01, "any": 0.0}

#: All readings of the search, the text's first.
SEARCHES = ({}, *factorial((GAIN, RESET, AHEAD)))
#: Those with rows here; those of any gain alone are the older experiment's.
SEARCHED = tuple(levels for levels in SEARCHES if levels not in ({}, {GAIN.name: "any"}))
#: Search and reading of each setting.
SETTINGS = {named(scheme, levels): (scheme, levels) for scheme in COST_FREE for levels in SEARCHED}


def level_of(choice: Choice, levels: dict[str, str]) -> str:
    """The level of a choice in a reading: the text's unless another is named."""
    return levels.get(choice.name, choice.levels[0].name)


@dataclass(frozen=True)
class ReadSearches:
    """The searches without costs under all readings of a fold's settings, with one learner."""

    estimator: object

    def __call__(self, fold: Fold) -> dict:
        X, y, X_test, y_test = parts_of(fold)
        inner = inner_models(self.estimator, fold)

        @cache
        def row_at(kept, smote):
            model = trained_at(self.estimator, X, y, kept, smote, inner.seed)
            return cut_row(y_test == 1, Answers.of(model, X_test))

        rows = {}
        for setting in fold.settings:
            scheme, levels = SETTINGS[setting]
            kept, smote, n_fits = found_under(inner, COST_FREE[scheme], levels)
            found = {"kept_1": kept, "smote_1": smote, "n_fits": n_fits}
            rows[setting] = row_at(kept, smote) | found
        return {setting: row | {"n_shared": inner.n_fits_} for setting, row in rows.items()}


def found_under(inner, criterion: str, levels: dict[str, str]) -> tuple[float, float, int]:
    """What a search under a reading keeps and adds in per cent, and its inner models."""
    found = inner.search(
        criterion,
        min_increment=MARGIN_OF[level_of(GAIN, levels)],
        look_ahead=1 + int(level_of(AHEAD, levels)),
    )
    accepted, tried = found.smote[1], found.path["smote 1"]
    # refused levels follow the accepted one, unless the largest level of all ended the search
    ends = [accepted, *tried[tried > accepted]]
    smote = ends[{"last": 0, "short": min(1, len(ends) - 1), "never": -1}[level_of(RESET, levels)]]
    return found.undersampling[0], smote, path_fits(found.path)


#: Of the first run of ten folds, like the older experiment of any gain.
READ_SEARCHES = replace(
    MAIN,
    name="sampling_wrapper-readings",
    methods=_with_learners(ReadSearches),
    settings=tuple(SETTINGS),
    repeats=1,
    any_dataset=False,
    adapt=None,
)
