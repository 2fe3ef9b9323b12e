"""How close C4.5 and RIPPER come to the programs that the papers used, from stored comparisons."""

import pandas as pd

from minority_reports import paths


def fidelity() -> pd.DataFrame:
    """Our C4.5 against Weka's J48 and our RIPPER against its JRip, on the same folds.

    ``tests/benchmarks/weka_trees.py`` and ``weka_jrip.py`` write the rows; they need Weka.
    """
    trees = pd.read_csv(paths.root() / "data" / "results" / "weka_j48.csv")
    rules = pd.read_csv(paths.root() / "data" / "results" / "weka_jrip.csv")
    seconds = trees[["fit_j48_s", "build_s", "fit_s"]].sum()
    agreement = (trees["agreement"] * trees["test_rows"]).sum() / trees["test_rows"].sum()
    lines = {
        "C4.5 and J48": {
            "data sets": f"{trees['dataset'].nunique()}",
            "fits compared": f"{len(trees):,}",
            "same model": f"{(trees['leaves'] == trees['leaves_j48']).mean():.1%} (leaves)",
            "outcome": f"same prediction on {agreement:.3%} of test rows",
            "our speed": f"{seconds['fit_j48_s'] / seconds['build_s']:.1f} x the tree alone, "
            f"{seconds['fit_j48_s'] / seconds['fit_s']:.1f} x with validation",
        },
        "RIPPER and JRip": {
            "data sets": f"{rules['dataset'].nunique()}",
            "fits compared": f"{len(rules):,}",
            "same model": f"{rules['identical'].mean():.1%} (rules, on the same random splits)",
            "outcome": "own splits: "
            f"F1 {rules['f1'].mean():.3f} against {rules['f1_jrip'].mean():.3f}, "
            f"AUROC {rules['auroc'].mean():.3f} against {rules['auroc_jrip'].mean():.3f}",
            "our speed": f"{rules['seconds_jrip'].sum() / rules['seconds'].sum():.1f} x in total",
        },
    }
    return pd.DataFrame(lines).T
