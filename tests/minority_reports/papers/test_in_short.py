"""The three sentences and the figure with which a paper's notebook begins."""

from dataclasses import replace

import boosting_svm_worlds
import box_drawings_rows
import damvi_rows
import pytest
import rlsd_rows
import sampling_wrapper_rows

from minority_reports.experiments import Settings, run
from minority_reports.papers import papers
from minority_reports.report import in_short, published_papers, result_figure, stored_results


def others_win(results):
    """The rows of the wrapper with the errors of wrapper-AUROC and MetaCost exchanged."""
    main = results["main"]
    rows = main.rows.copy()
    ours, others = (rows["setting"] == name for name in ("wrapper-auroc", "metacost"))
    errors = [name for name in rows if name.startswith(("fn_", "fp_"))]
    rows.loc[ours, errors], rows.loc[others, errors] = (
        main.rows.loc[others, errors].to_numpy(),
        main.rows.loc[ours, errors].to_numpy(),
    )
    # and searches are worse than no search
    rows.loc[rows["setting"].str.startswith("wrapper"), "auroc"] = 0.5
    return results | {"main": replace(main, rows=rows, _kept={})}


def rlsd_loses(results):
    rows = rlsd_rows.results_of("real", rlsd_rows.ranked(0.0001))
    public = rlsd_rows.results_of("public", rlsd_rows.with_idle(rlsd_rows.against_grid))
    return results | {"real": rows, "public": public}


#: Rows on which a paper is right, and rows on which it is not.
WORLDS = {
    "box_drawings": lambda: [box_drawings_rows.world(right) for right in (True, False)],
    "damvi": lambda: [damvi_rows.favourable(), damvi_rows.adverse()],
    "rlsd": lambda: [rows := rlsd_rows.everything(), rlsd_loses(rows)],
    "boosting_svm": lambda: [
        boosting_svm_worlds.world_of(world) for world in ("claimed", "contrary")
    ],
    "sampling_wrapper": lambda: [
        rows := sampling_wrapper_rows.everything(),
        others_win(rows),
    ],
}


def selection(name, **chosen):
    paper = papers()[name]
    settings = Settings(paper, compute="none", **chosen)
    return paper, {key: run(experiment, settings) for key, experiment in paper.experiments.items()}


def test_every_paper_has_a_headline():
    assert [name for name, paper in papers().items() if paper.headline] == published_papers()


@pytest.mark.parametrize("name", WORLDS)
def test_other_rows_make_other_sentences(name):
    paper = papers()[name]
    right, wrong = (in_short(paper, results) for results in WORLDS[name]())
    assert len(right) == len(wrong) == 3
    for one, other in zip(right, wrong, strict=True):
        assert one != other
    assert "claim reproduced" in right[0]
    assert "claim not reproduced" in wrong[0]
    assert right[2].startswith("Verdicts on ")


@pytest.mark.parametrize("name", WORLDS)
def test_the_figure_shows_who_is_ahead(name):
    paper = papers()[name]
    right, wrong = (result_figure(paper, results)[1] for results in WORLDS[name]())
    assert (right.set_index("data set").mean() > 0).all()
    assert (wrong.set_index("data set").mean() < 0).any()
    assert list(right) != ["data set"]


def test_stored_rows_are_the_default():
    paper = papers()["damvi"]
    sentences = in_short(paper)
    assert sentences == in_short(paper, stored_results({"damvi": paper})["damvi"])
    assert all("claim" in sentence for sentence in sentences)
    assert sentences[0].count("95 % CI") >= 1


@pytest.mark.parametrize(
    "name, chosen",
    [
        ("box_drawings", {"datasets": "glass2"}),
        ("box_drawings", {"methods": "fast-boxes,cart"}),
        ("damvi", {"datasets": "yeast4,yeast5"}),
        ("rlsd", {"folds": 2}),
        ("boosting_svm", {"methods": "b-svm,asymmetric"}),
        ("sampling_wrapper", {"datasets": "oil"}),
    ],
)
def test_a_selection_is_described_and_not_judged(name, chosen):
    paper, results = selection(name, **chosen)
    sentences = in_short(paper, results)
    assert len(sentences) == 3
    assert "nothing is judged" in sentences[2]
    assert not any("claim" in sentence for sentence in sentences[:2])
    assert paper.headline.method in sentences[0]
    figure, data = result_figure(paper, results)
    assert len(data) >= 1
    assert figure.axes[0].get_xlabel().endswith("is better)")


def test_a_selection_names_its_data_set():
    paper, results = selection("box_drawings", datasets="glass2")
    assert in_short(paper, results)[0].startswith("On glass2 Fast Boxes is ahead of ")


def test_without_the_method_there_is_nothing_to_compare():
    paper, results = selection("box_drawings", methods="cart,c45")
    sentences = in_short(paper, results)
    assert "nothing to compare" in sentences[0]
    assert "nothing is judged" in sentences[-1]
    figure, data = result_figure(paper, results)
    assert data.empty
    assert figure.axes[0].texts


@pytest.mark.parametrize("name", WORLDS)
def test_no_rows_at_all(name):
    paper, results = selection(name, seed=987654)
    assert "nothing to compare" in in_short(paper, results)[0]
    assert result_figure(paper, results)[1].empty
