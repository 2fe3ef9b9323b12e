"""C45Classifier against Weka's J48: leaves, predictions and seconds on folds of KEEL data sets.

    python tests/benchmarks/weka_trees.py [data set ...]

Needs a JDK (java and javac) and Weka, on Debian ``apt install default-jdk-headless weka``; set
WEKA_JAR if the archive is elsewhere. All folds go through one JVM, which builds every tree a few
times and gives the fastest, as we do here: once `fit` as a whole and once the tree alone, from
arrays that are validated, which is what J48's time covers. Without data sets on the command line,
and if all of them can be loaded, the result is written to data/results/weka_j48.csv and, with the
versions, weka_j48.json.
"""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np
import pandas as pd
import sklearn
from available import load_available
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from minority.trees import C45Classifier
from minority_reports import datasets, paths

WEKA = Path(os.environ.get("WEKA_JAR", "/usr/share/java/weka.jar"))
DATASETS = (
    "glass1", "wisconsin", "pima", "glass0", "yeast1", "haberman", "vehicle1", "vehicle3",
    "ecoli1", "new-thyroid1", "segment0", "glass6", "yeast3", "ecoli3", "page-blocks0",
    "yeast-2_vs_4", "vowel0", "glass2", "cleveland-0_vs_4", "yeast4", "abalone9-18",
    "car-good", "flare-F", "kr-vs-k-three_vs_eleven", "winequality-red-4", "abalone19",
    "pima-missing", "vehicle1-missing", "car-good-missing", "flare-F-missing",
)  # fmt: skip
MISSING = "-missing"  # 5 % of the values are deleted, because no KEEL set lacks any
FOLDS = 10
OURS = C45Classifier(laplace=False)
ENTROPY_TREE = DecisionTreeClassifier(criterion="entropy", random_state=0)
REPEATS = 20

JAVA = """
import java.io.FileReader;
import java.io.BufferedReader;
import weka.classifiers.trees.J48;
import weka.core.Instances;

public class Folds {
    static Instances read(String file) throws Exception {
        Instances data = new Instances(new BufferedReader(new FileReader(file)));
        data.setClassIndex(data.numAttributes() - 1);
        return data;
    }
    public static void main(String[] args) throws Exception {
        int repeats = Integer.parseInt(args[0]);
        for (int i = 1; i < args.length; i++) {
            Instances train = read(args[i] + ".train.arff"), test = read(args[i] + ".test.arff");
            J48 tree = null;
            double best = Double.MAX_VALUE;
            for (int r = 0; r < repeats; r++) {
                tree = new J48();
                tree.setConfidenceFactor(0.25f);
                tree.setMinNumObj(2);
                long start = System.nanoTime();
                tree.buildClassifier(train);
                best = Math.min(best, (System.nanoTime() - start) / 1e9);
            }
            StringBuilder line = new StringBuilder(args[i] + " " + best);
            line.append(" " + (int) tree.measureNumLeaves());
            for (int t = 0; t < test.numInstances(); t++)
                line.append(" " + (int) tree.classifyInstance(test.instance(t)));
            System.out.println(line);
        }
    }
}
"""


def write_arff(file, X, y):
    """A frame with the codes of its categories as values."""
    lines = ["@relation fold"]
    columns = []
    for j, (_, column) in enumerate(X.items()):
        if isinstance(column.dtype, pd.CategoricalDtype):
            kind = "{" + ",".join(map(str, range(len(column.cat.categories)))) + "}"
            columns.append(["?" if code < 0 else str(code) for code in column.cat.codes])
        else:
            kind = "numeric"
            columns.append(["?" if np.isnan(v) else repr(float(v)) for v in column])
        lines.append(f"@attribute x{j} {kind}")
    lines += ["@attribute class {0,1}", "@data"]
    lines += [",".join(row) for row in zip(*columns, map(str, y), strict=True)]
    file.write_text("\n".join(lines) + "\n")


def folds(names):
    """Yield (data set, fold, training X and y, test X and y)."""
    for name in names:
        data = datasets.load(name.removesuffix(MISSING))
        X, y = data.X, data.y
        if name.endswith(MISSING):
            X = X.mask(np.random.default_rng(0).random(X.shape) < 0.05)
        split = StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, y)
        for fold, (train, test) in enumerate(split):
            yield name, fold, X.iloc[train], y[train], X.iloc[test], y[test]


def run_j48(names, folder, repeats):
    """Seconds, leaves and predictions of each (data set, fold)."""
    stems = []
    for name, fold, X, y, X_test, y_test in folds(names):
        stem = f"{name}-{fold}"
        write_arff(folder / f"{stem}.train.arff", X, y)
        write_arff(folder / f"{stem}.test.arff", X_test, y_test)
        stems.append(stem)
    (folder / "Folds.java").write_text(JAVA)
    subprocess.run(["javac", "-cp", WEKA, "Folds.java"], cwd=folder, check=True)
    command = ["java", "-cp", f"{WEKA}{os.pathsep}.", "Folds", str(repeats), *stems]
    answer = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    result = {}
    for line in answer.stdout.splitlines():
        stem, seconds, leaves, *predicted = line.split()
        result[stem] = float(seconds), int(leaves), np.array(predicted, dtype=int)
    return result


def fastest(action, repeats):
    """The shortest time of an action, with its last result."""
    seconds = []
    for _ in range(repeats):
        start = perf_counter()
        result = action()
        seconds.append(perf_counter() - start)
    return min(seconds), result


def compare(names, repeats=REPEATS):
    """One line per fold."""
    with TemporaryDirectory() as folder:
        j48 = run_j48(names, Path(folder), repeats)
    lines = []
    for name, fold, X, y, X_test, _ in folds(names):
        j48_s, j48_leaves, j48_predicted = j48[f"{name}-{fold}"]
        ours_s, model = fastest(lambda X=X, y=y: OURS.fit(X, y), repeats)
        arrays = model._validate_fit(X, y, None)
        build_s, _ = fastest(lambda model=model, arrays=arrays: model._build(*arrays), repeats)
        coded = X.apply(lambda c: c.cat.codes if c.dtype == "category" else c).to_numpy(float)
        sklearn_s, _ = fastest(lambda X=coded, y=y: ENTROPY_TREE.fit(X, y), repeats)
        lines.append(
            {
                "dataset": name,
                "fold": fold,
                "leaves": model.get_n_leaves(),
                "leaves_j48": j48_leaves,
                "agreement": (model.predict(X_test) == j48_predicted).mean(),
                "test_rows": len(X_test),
                "fit_s": ours_s,
                "build_s": build_s,
                "fit_j48_s": j48_s,
                "fit_sklearn_entropy_s": sklearn_s,
            }
        )
    return pd.DataFrame(lines)


def versions():
    java = subprocess.run(["java", "-version"], capture_output=True, text=True).stderr
    with zipfile.ZipFile(WEKA) as jar:
        weka = jar.read("weka/core/version.txt").decode().strip()
    return {
        "weka": weka,
        "java": re.search(r'version "(.+?)"', java)[1],
        "python": platform.python_version(),
        "scikit-learn": sklearn.__version__,
        "options": "J48 -C 0.25 -M 2",
        "folds": FOLDS,
        "repeats": REPEATS,
    }


def main():
    if not (WEKA.exists() and shutil.which("java") and shutil.which("javac")):
        sys.exit(__doc__)
    asked = sys.argv[1:] or DATASETS
    loaded = dict(load_available(dict.fromkeys(name.removesuffix(MISSING) for name in asked)))
    names = tuple(name for name in asked if name.removesuffix(MISSING) in loaded)
    if not names:
        return
    frame = compare(names)
    by_set = frame.groupby("dataset", sort=False)
    table = pd.DataFrame(
        {
            "same leaves": by_set.apply(lambda f: (f["leaves"] == f["leaves_j48"]).mean()),
            "agreement": by_set["agreement"].mean(),
            "fit ms": 1000 * by_set["fit_s"].mean(),
            "J48 / fit": by_set["fit_j48_s"].sum() / by_set["fit_s"].sum(),
            "J48 / build": by_set["fit_j48_s"].sum() / by_set["build_s"].sum(),
            "sklearn / fit": by_set["fit_sklearn_entropy_s"].sum() / by_set["fit_s"].sum(),
        }
    )
    print(table.round(3).to_string())
    agreement = np.average(frame["agreement"], weights=frame["test_rows"])
    print(f"same leaves on {(frame['leaves'] == frame['leaves_j48']).mean():.1%} of the folds")
    print(f"same prediction on {agreement:.2%} of the test rows")
    total = frame.sum(numeric_only=True)
    print(
        f"J48 takes {total['fit_j48_s'] / total['fit_s']:.1f} x the time of fit, "
        f"{total['fit_j48_s'] / total['build_s']:.1f} x that of the tree alone; scikit-learn "
        f"{total['fit_sklearn_entropy_s'] / total['fit_s']:.1f} x that of fit"
    )
    if names == DATASETS:
        target = paths.root() / "data" / "results" / "weka_j48.csv"
        frame.to_csv(target, index=False, float_format="%.6g")
        target.with_suffix(".json").write_text(json.dumps(versions(), indent=2) + "\n")


if __name__ == "__main__":
    main()
