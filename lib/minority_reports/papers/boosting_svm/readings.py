"""What Boosting-SVM's paper leaves open, with what speaks for each way to read it.

C and the scaling are read for Boosting-SVM and for its component classifier (VII), whose machine it
boosts; the other methods are as they were run.
"""

from minority_reports.papers.boosting_svm.protocol import LEVELS, SHARES
from minority_reports.report import Choice, Level, Readings, factorial, one_at_a_time, sampled

_NOT_STATED = "not stated"
_OURS = f"{_NOT_STATED}; ours, from before any result was seen"

C = Choice(
    "C",
    "What do the slacks of B-SVM and VII cost?",
    (
        Level("1", _OURS),
        Level("0.01", _NOT_STATED, seen=True),
        Level("0.1", _NOT_STATED, seen=True),
        Level("10", _NOT_STATED, seen=True),
        Level(
            "SVMlight",
            "SVMlight's default, 1 / mean(x·x): the costs are those of Morik et al., who describe "
            "its option",
            seen=True,
        ),
    ),
)
SCALING = Choice(
    "scaling",
    "How are the features of B-SVM and VII scaled?",
    (
        Level("standard", _OURS),
        Level("none", "no scaling is mentioned", seen=True),
        Level("minmax", f"{_NOT_STATED}; what Weka's SMO does by default", seen=True),
    ),
)
WEIGHTS = Choice(
    "weights",
    "Are the weights scaled in each round?",
    (
        Level("scaled", "ours: C keeps its meaning, as in AdaBoost, whose weights add up to 1"),
        Level("grown", "Algorithm 1, line (e): weights grow, and no line scales them", seen=True),
    ),
)
DELTA = Choice(
    "delta",
    "What is the size of the steps?",
    (
        Level("validation", "section 5: “an empirical parameter used to tune the magnitude”"),
        *(Level(step, f"{_NOT_STATED}", seen=True) for step in ("0.1", "0.2", "0.5")),
        Level("1", "AdaBoost's", seen=True),
    ),
)
ROUND = Choice(
    "round",
    "Which round's vote is tested?",
    (
        Level(
            "validation",
            "section 6.1: “20% to set the threshold for each boosting iteration”; Algorithm 1, (g)",
        ),
        Level(
            "test",
            "section 5: “until the G-mean value on the test set X_validation cannot be improved”; "
            "chosen on the test fold itself",
            seen=True,
        ),
        Level("last", "section 6.1: “a maximum of 40 epochs”; nothing is chosen", seen=True),
    ),
)
SHARE = Choice(
    "share",
    "What do the methods train on that need no validation part?",
    (
        Level("90%", "section 6.1: 70 % and 20 % are those of “the boosting schemes”"),
        Level("70%", "the same rows as the boosting schemes", seen=True),
    ),
)
BOOSTED = Choice(
    "boosted",
    "Which machine do AdaCost, SMOTEBoost and DataBoost-IM boost?",
    (
        Level("without costs", "section 6.1: “the same component classifier”, the plain machine"),
        Level("with costs", "the same, as the one that Boosting-SVM boosts", seen=True),
    ),
)
_OF_THE_MACHINE = (C, SCALING, WEIGHTS, DELTA, ROUND, SHARE)

_BOOSTING = {"adacost": "adacost-asymmetric", "databoost-im": "databoost-im-asymmetric"} | {
    f"smoteboost-{level}": f"smoteboost-asymmetric-{level}" for level in LEVELS
}
#: The other methods that train on 90 %.
_TRAINED = (
    *("wrf", "undersampling", "asymmetric"),
    *(f"{name}-{level}" for name in ("smote", "smote-asymmetric") for level in LEVELS),
)

READINGS = Readings(
    choices=(*_OF_THE_MACHINE, BOOSTED),
    claims=tuple(f"boosting_svm-{number}" for number in ("28", "21", "22", "26", "01")),
    sources={"main": "main", "readings": "main", "readings-component": "main"},
    combinations=(
        *factorial(_OF_THE_MACHINE),
        *one_at_a_time([BOOSTED]),
        *({**levels, "boosted": "with costs"} for levels in sampled(_OF_THE_MACHINE, 100)),
    ),
    renamed={
        "main": {there: f"{baseline}:boosted=with costs" for baseline, there in _BOOSTING.items()}
        | {(name, SHARES[1]): (name, "all:share=70%") for name in _TRAINED}
    },
)
