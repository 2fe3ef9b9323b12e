"""What the investigations of DAMVI conclude rests on facts of the rows, computed again."""

import re
from itertools import product

import numpy as np
import pytest

from minority.experiments import Settings, run
from minority.papers import damvi as paper
from minority.papers.damvi._comparison_claims import REAL
from minority.report import published


@pytest.fixture(scope="module")
def stored():
    settings = Settings(paper.PAPER, compute="none")
    return {name: run(e, settings) for name, e in paper.PAPER.experiments.items()}


def text_of(stored, claim):
    return paper.PAPER.investigations[f"damvi-{claim}"](stored).text


def test_stability_depends_on_the_sets(stored):
    rows = stored["table23"].rows
    rows = rows[rows["method"].isin(paper.COMPETITORS) & rows["dataset"].isin(REAL)]
    spread = rows.groupby(["method", "dataset"])[["f1", "ap"]].std().groupby("method").mean()
    f1, ap = (int((spread[m] < spread.loc["damvi", m]).sum()) + 1 for m in ("f1", "ap"))
    text = text_of(stored, "01")
    assert f"in place {f1} of 10 in F1 and {ap} in AP on the paper's {len(REAL)}" in text
    places = []
    for table in published("damvi")["tables"][1:]:
        cells = {}
        for cell in table["cells"]:
            cells.setdefault(cell["row"], []).append(cell["std"])
        means = {row: np.mean(values) for row, values in cells.items()}
        places.append(1 + sum(mean < means["DAMVI"] - 1e-12 for mean in means.values()))
    assert f"and {places[0]} and {places[1]} in the paper's own tables" in text
    assert max(f1, ap) <= max(places), "on the paper's sets it is at least as stable as there"


def numbers(pattern, text):
    return [float(number) for number in re.search(pattern, text).groups()]


def test_ap_and_roc_tell_pairs_apart_alike(stored):
    evidence = paper.PAPER.rules["damvi-11"](stored).evidence
    by_ap, by_roc = numbers(r"0 for (\d+) by AP and for (\d+) by", evidence)
    more, low, high = numbers(
        r"are (\S+), 95 % interval over 13 sets (\S+) to (\S+):", text_of(stored, "11")
    )
    assert more == by_ap - by_roc
    assert low < 0 < high


def test_resamples_of_five_splits_against_all_of_them(stored):
    rows = stored["fig1"].rows
    draws = np.array(list(product(range(5), repeat=5)))
    shares = []
    for percent in ("0.2", "0.5"):
        part = rows[rows["setting"] == f"imbalance={percent}"]
        splits = part.pivot_table(index="fold", columns="method", values="f1")
        means = splits.to_numpy()[draws].mean(axis=1).round(12)
        place = 1 + (means > means[:, [list(splits).index("r-bg")]]).sum(axis=1)
        shares.append((place == 2).mean())
    told = numbers(r"second in (\d+) % and (\d+) % of draws", text_of(stored, "22"))
    assert told == pytest.approx([100 * share for share in shares], abs=1)
