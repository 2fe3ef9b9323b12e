"""What DAMVI's paper leaves open, with what speaks for each way to read it.

Each choice concerns other methods, and the last one Figure 1 alone, so that the rows of all
combinations are those of single variants: all are planned. The rows of full bags would take hours
on the larger sets, so that readings with these are judged on Figure 1.
"""

from minority_reports.report import Choice, Level, Readings, factorial

CHOICES = (
    Choice(
        "bags",
        "How many rows does a bag of R-BG, S-BG and A-BG have?",
        (
            Level(
                "original",
                "20 % of the training part: “size of bootstrapped sample to 20% of the size of "
                "original training data”, section IV.B",
            ),
            Level(
                "oversampled",
                "20 % of the balanced rows: what a BaggingClassifier with max_samples=0.2 draws "
                "behind an oversampler; “bootstrapped samples of oversampled data”, section IV.B. "
                "Values are in 256 bins beyond 10,000 rows",
                seen=True,
            ),
            Level(
                "full",
                "as many as the training part, which is what bagging usually means; tried since "
                "the published R-BG is better than that of the text",
                seen=True,
            ),
        ),
    ),
    Choice(
        "forest",
        "How does BRF draw the rows of a tree?",
        (
            Level(
                "today",
                "either class with repetition (sampling_strategy=“all”, replacement=True, "
                "bootstrap=False): imbalanced-learn's defaults since 0.13; the paper states none",
            ),
            Level(
                "2020",
                "a bootstrap of all positives and as many negatives drawn without repetition "
                "(“auto”, replacement=False, bootstrap=True): imbalanced-learn's defaults in 2020",
                seen=True,
            ),
        ),
    ),
    Choice(
        "boosting",
        "Which AdaBoost does Easy Ensemble have?",
        (
            Level("samme", "SAMME, the only one in scikit-learn now; the paper states none"),
            Level("samme-r", "SAMME.R, scikit-learn's default in 2020", seen=True),
        ),
    ),
    Choice(
        "code",
        "Which trees and row weights does DAMVI have?",
        (
            Level("text", "bootstraps, and rows weighted by the mean vote: Algorithm 1"),
            Level(
                "released",
                "released code: rows of a tree drawn without repetition, weights by the sign of "
                "the mean vote",
                seen=True,
            ),
        ),
    ),
    Choice(
        "thinning",
        "When is mammography thinned for Figure 1?",
        (
            Level(
                "after",
                "after a stratified split, in both parts: this project's protocol, since then "
                "both have the stated percentage",
            ),
            Level(
                "before",
                "the whole set, which is then split at random: “artificially increasing and "
                "decreasing the imbalance for the Mammography dataset”, section IV.C",
                seen=True,
            ),
        ),
    ),
)

READINGS = Readings(
    choices=CHOICES,
    claims=("damvi-12", "damvi-13", "damvi-17", "damvi-20", "damvi-22"),
    sources={
        "released": "table23",
        "table23": "table23",
        "readings": "table23",
        "readings-full": "table23",
        "readings-fig1": "fig1",
        "readings-thinned": "fig1",
    },
    combinations=factorial(CHOICES),
    renamed={
        "released": {"released": "damvi:code=released"},
        "table23": {"r-bg-full": "r-bg:bags=full"},
    },
)
