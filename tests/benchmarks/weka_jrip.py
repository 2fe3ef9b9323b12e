"""RIPPERClassifier beside Weka's JRip on the same folds: rules, F1, AUROC, seconds.

    python tests/benchmarks/weka_jrip.py [--datasets glass2,pima] [--seeds 5]

Needs a JDK and weka.jar of Weka 3.6 (Debian: `apt install weka default-jdk-headless`); set WEKA_JAR
if the file is not in /usr/share/java. Folds are written as ARFF to a temporary directory, and one
Java process builds all models, so that its compiler is warm. Writes data/results/weka_jrip.csv with
all data sets and the default number of seeds, or else the file that is given by --output.

Every fold is learned with several seeds by both. "identical" says whether RIPPERClassifier, given
JRip's random splits, finds JRip's rules, condition by condition.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from itertools import chain
from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd
import sklearn
from available import load_available
from sklearn.metrics import f1_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold

import minority
from minority.rules import RIPPERClassifier
from minority_reports import paths

DATASETS = (
    "glass1,glass2,pima,haberman,vehicle1,vehicle3,yeast1,yeast3,yeast4,ecoli3,new-thyroid1,"
    "page-blocks0,segment0,vowel0,abalone9-18,cleveland-0_vs_4,car-good,flare-F,winequality-red-4"
)
N_FOLDS, N_SEEDS, N_TIMED = 10, 5, 3  # seconds are the least of three: the machine may be busy
JAR = Path(os.environ.get("WEKA_JAR", "/usr/share/java/weka.jar"))

JAVA = """
import java.io.*; import java.util.*;
import weka.core.*; import weka.classifiers.rules.*;

public class Folds {
  static Instances read(String path) throws Exception {
    Instances data = new Instances(new BufferedReader(new FileReader(path)));
    data.setClassIndex(data.numAttributes() - 1);
    return data;
  }
  static JRip build(Instances data, long seed) throws Exception {
    JRip model = new JRip();
    model.setSeed(seed);
    model.buildClassifier(data);
    return model;
  }
  public static void main(String[] args) throws Exception {
    String folder = args[0];
    int seeds = Integer.parseInt(args[1]), timed = Integer.parseInt(args[2]);
    BufferedReader list = new BufferedReader(new FileReader(folder + "/folds.txt"));
    List<String> stems = new ArrayList<String>();
    for (String line; (line = list.readLine()) != null; ) stems.add(line);
    long end = System.nanoTime() + 10000000000L;  // warm up for 10 s
    for (int i = 0; System.nanoTime() < end; i++)
      build(read(folder + "/" + stems.get(i * 7 % stems.size()) + ".train.arff"), i);
    System.out.println("VERSION " + weka.core.Version.VERSION);
    for (String stem : stems) {
      Instances train = read(folder + "/" + stem + ".train.arff");
      Instances test = read(folder + "/" + stem + ".test.arff");
      for (int seed = 1; seed <= seeds; seed++) {
        double[] times = new double[timed];
        JRip model = null;
        for (int t = 0; t < timed; t++) {
          long start = System.nanoTime();
          model = build(train, seed);
          times[t] = (System.nanoTime() - start) / 1e9;
        }
        Arrays.sort(times);
        // JRip's generator is seeded by the text of a random row.
        int row = new Random(seed).nextInt(train.numInstances());
        long start = train.instance(row).toString().hashCode() + (long) seed;
        System.out.println("FOLD " + stem + " " + seed + " " + times[0] + " " + start);
        for (String line : model.toString().split("\\n"))
          if (line.contains("=>")) System.out.println("RULE " + line);
        StringBuilder scores = new StringBuilder("SCORES"), labels = new StringBuilder("LABELS");
        for (int i = 0; i < test.numInstances(); i++) {
          scores.append(" ").append(model.distributionForInstance(test.instance(i))[0]);
          labels.append(" ").append((int) model.classifyInstance(test.instance(i)));
        }
        System.out.println(scores);
        System.out.println(labels);
      }
    }
  }
}
"""


class SameSplits(RIPPERClassifier):
    """RIPPERClassifier with the seed of JRip's generator, which may exceed scikit-learn's."""

    def _seed(self):
        return self.java_seed


def seed_after_one_draw(seed):
    """The seed that starts java.util.Random one draw later: JRip spends one on the class order."""
    multiplier, mask = 0x5DEECE66D, (1 << 48) - 1
    state = ((seed ^ multiplier) * multiplier + 0xB) & mask
    return state ^ multiplier


def write_arff(path, X, y):
    """Columns a0, a1, ..., categories v0, v1, ..., class p (minority) or n."""
    lines, columns = ["@relation fold"], []
    for j, name in enumerate(X):
        column = X[name]
        if isinstance(column.dtype, pd.CategoricalDtype):
            levels = ",".join(f"v{k}" for k in range(len(column.cat.categories)))
            lines.append(f"@attribute a{j} {{{levels}}}")
            columns.append(["?" if code < 0 else f"v{code}" for code in column.cat.codes])
        else:
            lines.append(f"@attribute a{j} numeric")
            columns.append(["?" if np.isnan(v) else repr(float(v)) for v in column])
    columns.append(np.where(np.asarray(y) == 1, "p", "n").tolist())
    lines += ["@attribute class {p,n}", "@data", *map(",".join, zip(*columns, strict=True))]
    path.write_text("\n".join(lines) + "\n")


def run_weka(folder, n_seeds):
    """(stem, seed) -> what JRip found."""
    (folder / "Folds.java").write_text(JAVA)
    subprocess.run(["javac", "-cp", JAR, "Folds.java"], cwd=folder, check=True)
    command = ["java", "-cp", f"{JAR}{os.pathsep}{folder}", "Folds", folder]
    output = subprocess.run(
        [*command, str(n_seeds), str(N_TIMED)], check=True, capture_output=True, text=True
    ).stdout
    found, version = {}, ""
    for line in output.splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "VERSION":
            version = rest
        elif kind == "FOLD":
            stem, seed, seconds, start = rest.split()
            entry = {"seconds": float(seconds), "start": int(start), "rules": []}
            found[stem, int(seed)] = entry
        elif kind == "RULE":
            entry["rules"].append(rest)
        elif kind in ("SCORES", "LABELS"):
            entry[kind.lower()] = np.array(rest.split(), dtype=float)
    return found, version


def same_rules(model, jrip_rules, X):
    """Whether the conditions agree; JRip prints six decimals."""
    position = {name: j for j, name in enumerate(X)}
    theirs = [re.findall(r"\(a(\d+) (<=|>=|=) ([^)]+)\)", rule) for rule in jrip_rules[:-1]]
    ours = []
    for rule in model.rules_.rules:
        ours.append([])
        for condition in rule.conditions:
            j = position[condition.feature]
            if hasattr(condition, "categories"):
                code = X[condition.feature].cat.categories.get_loc(condition.categories[0])
                ours[-1].append((j, "=", f"v{code}"))
            elif np.isfinite(condition.upper):
                ours[-1].append((j, "<=", condition.upper))
            else:
                ours[-1].append((j, ">=", condition.lower))
    if list(map(len, ours)) != list(map(len, theirs)):
        return False
    return all(
        a[0] == int(b[0])
        and a[1] == b[1]
        and (a[2] == b[2] if a[1] == "=" else abs(a[2] - float(b[2])) <= 1e-6)
        for a, b in zip(chain(*ours), chain(*theirs), strict=True)
    )


def timed_fit(model, X, y):
    seconds = []
    for _ in range(N_TIMED):
        start = perf_counter()
        model.fit(X, y)
        seconds.append(perf_counter() - start)
    return min(seconds)


def compare(loaded, n_seeds):
    folds = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for name, data in loaded.items():
            X, y = data.X, np.asarray(data.y)
            cv = StratifiedKFold(N_FOLDS, shuffle=True, random_state=0)
            for fold, (train, test) in enumerate(cv.split(X, y)):
                stem = f"{len(folds)}"
                write_arff(folder / f"{stem}.train.arff", X.iloc[train], y[train])
                write_arff(folder / f"{stem}.test.arff", X.iloc[test], y[test])
                folds[stem] = name, fold, X.iloc[train], y[train], X.iloc[test], y[test]
        (folder / "folds.txt").write_text("\n".join(folds))
        found, weka = run_weka(folder, n_seeds)
    versions = f"weka {weka}; minority {minority.__version__}; scikit-learn {sklearn.__version__}"
    rows = []
    for (stem, seed), jrip in found.items():
        name, fold, X, y, X_test, y_test = folds[stem]
        # JRip starts from its Instances, so ours starts from an array where there are only numbers.
        is_numeric = all(pd.api.types.is_numeric_dtype(dtype) for dtype in X.dtypes)
        ours = RIPPERClassifier(random_state=N_FOLDS * seed + fold).fit(X, y)  # may compile
        seconds = timed_fit(ours, X.to_numpy() if is_numeric else X, y)
        ours.fit(X, y)
        same = SameSplits()
        same.java_seed = seed_after_one_draw(jrip["start"])
        same.fit(X, y)
        rows.append(
            {
                "dataset": name,
                "fold": fold,
                "seed": seed,
                "identical": same_rules(same, jrip["rules"], X),
                "rules": len(ours.rules_),
                "rules_jrip": len(jrip["rules"]) - 1,
                "f1": f1_score(y_test, ours.predict(X_test), zero_division=0),
                "f1_jrip": f1_score(y_test, 1 - jrip["labels"], zero_division=0),
                "auroc": roc_auc_score(y_test, ours.predict_proba(X_test)[:, 1]),
                "auroc_jrip": roc_auc_score(y_test, jrip["scores"]),
                "seconds": seconds,
                "seconds_jrip": jrip["seconds"],
                "versions": versions,
            }
        )
    return pd.DataFrame(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--datasets", default=DATASETS)
    parser.add_argument("--seeds", type=int, default=N_SEEDS)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    if not JAR.exists() or not shutil.which("javac"):
        sys.exit(f"{JAR} or javac is missing.\n{__doc__}")
    loaded = dict(load_available(arguments.datasets.split(",")))
    if not loaded:
        return
    rows = compare(loaded, arguments.seeds)
    output = arguments.output
    if output is None and list(loaded) == DATASETS.split(",") and arguments.seeds == N_SEEDS:
        output = paths.results() / "weka_jrip.csv"
    if output is not None:
        rows.to_csv(output, index=False, float_format="%.6g")
    table = rows.drop(columns=["fold", "seed", "versions"]).groupby("dataset", sort=False).mean()
    table["faster"] = table["seconds_jrip"] / table["seconds"]
    print(table.round(4).to_string())
    means = table.mean()
    print(f"\nRules identical on the same splits: {rows['identical'].sum()} of {len(rows)}")
    for name in ("f1", "auroc", "rules"):
        difference = table[name] - table[f"{name}_jrip"]
        print(
            f"{name}: {means[name]:.4f}, JRip {means[f'{name}_jrip']:.4f}, difference "
            f"{difference.mean():+.4f}, standard error over data sets {difference.sem():.4f}"
        )
    total = rows[["seconds", "seconds_jrip"]].sum()
    print(
        f"Faster than warm JRip: {np.exp(np.log(table['faster']).mean()):.1f} times "
        f"(geometric mean over data sets), {total['seconds_jrip'] / total['seconds']:.1f} in total"
    )


if __name__ == "__main__":
    main()
