"""A row is the same whichever process, order or subset computed it, and nothing is ever lost."""

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import toy
from minority_reports import paths
from minority_reports.experiments import (
    DamagedFileError,
    Method,
    Settings,
    Store,
    StoreLockedError,
    StoreWriteError,
    run,
    summary,
    verify,
)
from minority_reports.experiments.origin import read_provenance, record_run


def run_toy(compute="missing", n_jobs=1, paper=None, **selection):
    paper = paper or toy.paper()
    return run(
        paper.experiments["table1"], Settings(paper, compute=compute, n_jobs=n_jobs, **selection)
    )


def test_the_whole_protocol_is_computed_and_counted(results):
    outcome = run_toy()
    assert len(outcome.rows) == outcome.planned == 2 * 2 * 2 * 3 * 2
    assert outcome.coverage() == "all 48 runs"
    assert run_toy().computed == 0


def test_subset_equals_whole(results, tmp_path, monkeypatch):
    whole = run_toy().rows
    monkeypatch.setenv("MINORITY_RESULTS", str(tmp_path / "subset"))
    part = run_toy(datasets="glass2", methods="slow", folds=2, repeats=1).rows
    wanted = whole.merge(part[["dataset", "method", "setting", "repeat", "fold"]])
    assert 0 < len(part) < len(whole)
    assert part.equals(wanted[part.columns])


def test_parallel_rows_are_byte_identical(results, tmp_path, monkeypatch):
    run_toy(n_jobs=1)
    monkeypatch.setenv("MINORITY_RESULTS", str(tmp_path / "parallel"))
    run_toy(n_jobs=2)
    one, two = (folder / "toy-table1.csv" for folder in (results, tmp_path / "parallel"))
    assert one.read_bytes() == two.read_bytes()


def test_methods_share_their_folds(results):
    rows = run_toy().rows
    shared = rows.groupby(["dataset", "repeat", "fold"])["mean"].nunique()
    assert (shared == 1).all()
    own = rows.groupby(["dataset", "repeat", "fold"])["draw"].nunique()
    assert (own == 2).all(), "every method has random numbers of its own"


def test_quick_is_a_selection_of_the_same_keys(results, tmp_path, monkeypatch):
    whole = (results / "toy-table1.csv", run_toy())[0].read_text().splitlines()
    monkeypatch.setenv("MINORITY_RESULTS", str(tmp_path / "quick"))
    quick = run_toy(compute="quick")
    assert len(quick.rows) == 4  # iris0, first repeat and fold, two methods, two settings
    assert set((tmp_path / "quick" / "toy-table1.csv").read_text().splitlines()) <= set(whole)


def test_timings_are_those_of_the_selection(results):
    run_toy()
    run_toy(seed=1)
    assert len(run_toy().timings) == len(run_toy(seed=1).timings) == 24
    assert set(run_toy(methods="count", folds=1).timings["method"]) == {"count"}
    assert len(run_toy(compute="none", methods="count", folds=1).timings) == 4


def test_a_summary_says_how_to_compute_what_is_not_there(results):
    assert '48 runs are missing; compute = "missing"' in summary({"a": run_toy(compute="none")})
    assert "not there" not in summary({"a": run_toy()})


def test_none_computes_nothing(results):
    outcome = run_toy(compute="none")
    assert outcome.rows.empty
    assert outcome.planned == 48
    assert not (results / "toy-table1.csv").exists()


def test_a_new_version_is_computed_again(results):
    run_toy()
    newer = dict(toy.METHODS) | {"count": Method("Counting", toy.count_rows, version=2)}
    outcome = run_toy(paper=toy.paper(methods=newer))
    assert outcome.computed == 12
    assert set(outcome.rows.query("method == 'count'")["version"]) == {2}


def test_all_compares_with_what_was_stored(results):
    run_toy()
    path = results / "toy-table1.csv"
    text = path.read_text()
    path.write_text(text.replace("iris0,count,a=1,0,0,0,1,", "iris0,count,a=1,0,0,0,1,", 1))
    assert run_toy(compute="all").comparison["identical"].all()
    lines = path.read_text().splitlines()
    fields = lines[1].split(",")
    fields[8] = "123"
    path.write_text("\n".join([lines[0], ",".join(fields), *lines[2:]]) + "\n")
    assert (~run_toy(compute="all").comparison["agrees"]).sum() == 1
    assert path.read_text() == text, "and the fresh rows are what is stored now"


def test_a_failing_method_leaves_the_others_intact(results):
    methods = dict(toy.METHODS) | {"broken": Method("Broken", toy.broken)}
    outcome = run_toy(paper=toy.paper(methods=methods))
    assert len(outcome.rows) == 48
    assert set(outcome.failures["method"]) == {"broken"}
    assert outcome.failures["message"].iloc[0] == "ArithmeticError: this method always fails"
    repaired = dict(methods) | {"broken": Method("Mended", toy.count_rows)}
    again = run_toy(paper=toy.paper(methods=repaired))
    assert again.computed == 12, "failures are never taken for results"
    assert len(again.rows) == 72
    assert again.failures.empty


def test_too_few_positives_is_a_failure_that_explains_itself(results):
    outcome = run_toy(paper=toy.paper(folds=20), datasets="glass2", repeats=1)
    assert outcome.rows.empty
    assert "17 positives cannot be spread over 20 folds" in outcome.failures["message"].iloc[0]


def test_unreachable_data_is_a_gap_not_an_error(results, monkeypatch):
    monkeypatch.delenv("MINORITY_DATA", raising=False)
    outcome = run_toy(datasets="iris0,mammography", methods="count")
    assert set(outcome.rows["dataset"]) == {"iris0"}
    assert outcome.planned == 24
    assert "MINORITY_DATA" in outcome.unavailable["mammography"]


def write_own(file, more=()):
    lines = ["size,colour,label"]
    lines += [
        f"{i},{'red' if i % 2 else 'blue'},{'bad' if i % 4 == 0 else 'good'}" for i in range(40)
    ]
    file.write_text("\n".join([*lines, *more]) + "\n")


def test_an_own_file_is_run_but_kept_apart(results, tmp_path):
    file = tmp_path / "my data.csv"
    write_own(file)
    outcome = run_toy(datasets=str(file), target="label", methods="count")
    assert len(outcome.rows) == 12
    assert [p.name for p in results.iterdir()] == ["own"]
    assert (results / "own" / "toy-table1.csv").exists()
    assert run_toy(datasets=str(file), target="label", methods="count").computed == 0
    write_own(file, ["40,red,good"])
    assert run_toy(datasets=str(file), target="label", methods="count").computed == 6


def test_rows_of_own_files_are_outside_version_control_by_default(monkeypatch):
    monkeypatch.delenv("MINORITY_RESULTS", raising=False)
    assert paths.own_results() == paths.root() / "data" / "cache" / "own_results"


@pytest.mark.parametrize("name", ["my  data.csv", " my\tdata .csv", "a\nb.csv"])
def test_an_own_file_of_any_name_is_found_again(results, tmp_path, name):
    write_own(tmp_path / name)
    chosen = {"datasets": [str(tmp_path / name)], "target": "label", "methods": "count"}
    assert len(run_toy(**chosen).rows) == 12
    assert run_toy(**chosen).computed == 0


def test_a_name_that_cannot_be_stored_is_refused_before_anything_runs(results):
    for name in ("two  blanks", "", "a\nb"):
        with pytest.raises(ValueError, match="cannot be the name of a method"):
            run_toy(paper=toy.paper(methods={name: Method("Odd", toy.count_rows)}))
    assert not results.exists()


def in_words(fold):
    return {setting: {"mean": "much", "share": 0.5} for setting in fold.settings}


def test_words_are_stored_where_the_experiment_says_so(results):
    methods = {"words": Method("Words", in_words)}
    outcome = run_toy(paper=toy.paper(methods=methods), datasets="iris0")
    assert "'mean' is 'much', not a number" in outcome.failures["message"].iloc[0]
    outcome = run_toy(paper=toy.paper(methods=methods, text=("mean",)), datasets="iris0")
    assert set(outcome.rows["mean"]) == {"much"}


@pytest.mark.parametrize("name", ["toy-table1.csv", "timings/toy-table1.csv", "provenance.json"])
def test_a_damaged_file_is_found_before_anything_is_computed(results, name, monkeypatch):
    run_toy(folds=1)
    (results / name).write_bytes(b"?" + (results / name).read_bytes())
    before = {p: p.read_bytes() for p in results.rglob("*") if p.is_file()}
    monkeypatch.setattr(
        "minority_reports.experiments.runner.compute",
        lambda *_, **__: pytest.fail("something was computed"),
    )
    with pytest.raises(DamagedFileError, match=f"{name}, line 1: "):
        run_toy()
    assert before == {p: p.read_bytes() for p in results.rglob("*") if p.is_file()}


def test_a_full_disk_that_takes_no_note_is_named_before_anything_is_computed(results, monkeypatch):
    def refuse(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    def note(folder):
        with monkeypatch.context() as patch:
            patch.setattr("os.fsync", refuse)
            return record_run(folder)

    monkeypatch.setattr("minority_reports.experiments.runner.record_run", note)
    with pytest.raises(StoreWriteError, match="No space left on device"):
        run_toy()
    assert not list(results.rglob("*tmp*")) and not (results / "provenance.json").exists()
    assert run_toy(compute="none").rows.empty


def start(results, before="", stderr=subprocess.DEVNULL, **env):
    """Run the toy paper in a process of its own."""
    known = os.environ.get("PYTHONPATH", "")
    code = (
        f"{before}\n"
        "import toy; from minority_reports.experiments import Settings, run; p = toy.paper()\n"
        "run(p.experiments['table1'], Settings(p, compute='missing', n_jobs=1))"
    )
    return subprocess.Popen(
        [sys.executable, "-c", code],
        env=os.environ
        | {"PYTHONPATH": os.pathsep.join([str(Path(toy.__file__).parent), known])}
        | {"MINORITY_RESULTS": str(results)}
        | env,
        stderr=stderr,
    )


def wait_for_rows(path, process, rows):
    """However long that takes: the run ends by itself if something is wrong, or waits at a gate."""
    while not path.exists() or path.read_text().count("\n") <= rows:
        assert process.poll() is None, "the run ended before it could be killed"
        time.sleep(0.05)


def test_kill_and_resume_gives_identical_bytes(results, tmp_path, monkeypatch):
    run_toy()
    expected = (results / "toy-table1.csv").read_bytes()
    killed = tmp_path / "killed"
    for rows in (4, 20):  # killed twice, the second time while resuming
        process = start(killed, TOY_GATE=str(tmp_path / "never"))
        wait_for_rows(killed / "toy-table1.csv", process, rows)
        process.send_signal(signal.SIGKILL)
        process.wait()
    survived = (killed / "toy-table1.csv").read_text().count("\n") - 1
    assert 0 < survived < 48
    monkeypatch.setenv("MINORITY_RESULTS", str(killed))
    assert run_toy().computed < 24
    assert (killed / "toy-table1.csv").read_bytes() == expected


def test_a_second_run_is_refused_while_one_writes(results):
    process = start(results, TOY_GATE=str(results / "never"))
    try:
        wait_for_rows(results / "toy-table1.csv", process, 1)
        with pytest.raises(StoreLockedError, match="another run is writing"):
            run_toy()
    finally:
        process.kill()
        process.wait()


def test_only_lost_rows_are_recomputed(results):
    run_toy()
    path = results / "toy-table1.csv"
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    outcome = run_toy()
    assert 0 < outcome.computed < 24
    assert path.read_bytes() == whole


def test_a_status_that_could_not_be_read_again_is_a_failure(results):
    def skipped(fold):
        return {setting: {"mean": 1.0, "status": "skipped"} for setting in fold.settings}

    outcome = run_toy(paper=toy.paper(methods={"m": Method("Skips", skipped)}))
    assert outcome.rows.empty
    assert set(outcome.failures["status"]) == {"error"}
    assert "the status 'skipped' is none of ok, time limit, error" in outcome.failures["message"][0]


def test_what_a_method_measures_does_not_change_the_key_of_its_rows(results):
    def confused(fold):
        return {setting: {"mean": 1.0, "fold": 0, "dataset": "x"} for setting in fold.settings}

    outcome = run_toy(paper=toy.paper(methods={"m": Method("Confused", confused)}))
    assert outcome.coverage() == "all 24 runs"


def test_verify_finds_a_changed_number(results):
    run_toy()
    (good,) = verify(toy.paper(), sample=5, n_jobs=1, progress=False)
    assert good.compared == good.identical == good.agreeing == 10
    path = results / "toy-table1.csv"
    lines = path.read_text().splitlines()
    fields = [line.split(",") for line in lines]
    for line in fields[1:]:
        line[8] = "0.25"
    path.write_text("\n".join(",".join(line) for line in fields) + "\n")
    (bad,) = verify(toy.paper(), sample=5, n_jobs=1, progress=False)
    assert bad.agreeing == 0
    assert "0 of 10 rows agree" in str(bad)


def test_a_sample_has_rows_of_every_seed(results):
    for seed in (0, 5):
        run_toy(seed=seed)
    (agreement,) = verify(toy.paper(), sample=100, n_jobs=1)
    assert agreement.compared == agreement.identical == 96
    assert set(agreement.rows["seed"]) == {0, 5}
    (quick,) = verify(toy.paper(), n_jobs=1)
    assert set(quick.rows["seed"]) == {0}


def test_verify_leaves_out_what_takes_too_long_and_says_so(results):
    run_toy()
    path = results / "timings" / "toy-table1.csv"
    header, *lines = [line.split(",") for line in path.read_text().splitlines()]
    method, seconds = header.index("method"), header.index("seconds")
    for line in lines:
        line[seconds] = "50" if line[method] == "slow" else "0.1"
    lines.pop(next(i for i, line in enumerate(lines) if line[method] == "count"))
    path.write_text("\n".join(",".join(line) for line in [header, *lines]) + "\n")
    (short,) = verify(toy.paper(), sample=100, at_most=1, n_jobs=1, progress=False)
    assert set(short.rows["method"]) == {"count"}
    assert short.left_out == 12 + 1, "the slow ones, and the one of which nothing is known"
    assert short.compared == short.identical == 2 * (24 - short.left_out)
    assert "(left out as too long: 13 tasks)" in str(short)
    (none,) = verify(toy.paper(), at_most=0.01, n_jobs=1, progress=False)
    assert str(none) == "toy-table1: nothing compared (left out as too long: 2 tasks)"


def test_verify_copes_with_an_experiment_without_rows(results):
    (nothing,) = verify(toy.paper(), sample=5, at_most=1, n_jobs=1, progress=False)
    assert str(nothing) == "toy-table1: nothing compared"


def test_a_full_disk_loses_nothing(results, tmp_path, monkeypatch):
    """The limit on a file's size makes the kernel cut a write short, as a full disk does."""
    run_toy()
    expected = (results / "toy-table1.csv").read_bytes()
    full = tmp_path / "full"
    process = start(
        full,
        before="import resource as r; r.setrlimit(r.RLIMIT_FSIZE, (2500, 2500))",
        stderr=subprocess.PIPE,
    )
    _, error = process.communicate()
    assert process.returncode == 1
    assert "Rows written before are kept" in error.decode()
    survived = (full / "toy-table1.csv").read_bytes().count(b"\n") - 1
    assert survived > 2
    monkeypatch.setenv("MINORITY_RESULTS", str(full))
    assert run_toy().computed <= 24 - survived // 2
    assert (full / "toy-table1.csv").read_bytes() == expected


def test_a_killed_run_has_noted_what_its_rows_were_computed_with(results, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Store, "add", stop)
        run_toy()
    assert len(read_provenance(results)) == 1


def test_every_task_names_the_run_that_computed_it(results, monkeypatch):
    run_toy(folds=1)
    (first,) = read_provenance(results)
    made = {"commit": "later", "system": "another one"}
    monkeypatch.setattr("minority_reports.experiments.origin.provenance", lambda: made)
    timings = run_toy().timings
    (second,) = set(read_provenance(results)) - {first}
    assert read_provenance(results)[second].items() >= made.items()
    assert set(timings.loc[timings["fold"] == 0, "run"]) == {first}
    assert set(timings.loc[timings["fold"] > 0, "run"]) == {second}


def test_a_folder_that_cannot_be_written_is_a_clear_error(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MINORITY_RESULTS", str(tmp_path / "file" / "results"))
    with pytest.raises(StoreWriteError, match="set MINORITY_RESULTS"):
        run_toy()


def test_interrupting_keeps_what_is_done(results):
    # a process started in the background may have been told to ignore the interrupt
    heed = "import signal as s; s.signal(s.SIGINT, s.default_int_handler)"
    process = start(results, before=heed, TOY_GATE=str(results / "never"))
    path = results / "toy-table1.csv"
    wait_for_rows(path, process, 4)
    process.send_signal(signal.SIGINT)
    process.wait()
    lines = path.read_text().splitlines()
    assert 4 < len(lines) < 49
    assert lines[1:] == sorted(lines[1:]), "and the file is left in order"
    assert run_toy().computed == 24 - (len(lines) - 1) // 2


def test_a_run_killed_after_its_last_row_is_put_in_order(results):
    run_toy()
    path = results / "toy-table1.csv"
    expected = path.read_bytes()
    header, *lines = expected.splitlines(keepends=True)
    path.write_bytes(header + b"".join(reversed(lines)))
    (results / ".toy-table1.lock").write_text("unfinished\n")
    assert run_toy(compute="none").computed == 0
    assert path.read_bytes() != expected, "looking changes nothing"
    assert run_toy().computed == 0
    assert path.read_bytes() == expected
    assert (results / ".toy-table1.lock").read_text() == ""


def narrowed(fold):
    """An interval that narrows with time; closed after ten seconds."""
    limit = fold.time_limit or 1
    width = max(0.0, 1 - limit / 10)
    return {
        setting: {
            "low": 5 - width,
            "high": 5 + width,
            "luck": limit,
            "time_limit": limit,
            "status": "time limit" if width else "ok",
        }
        for setting in fold.settings
    }


def cut_off_paper():
    return toy.paper(
        methods={"solver": Method("Solver", narrowed)},
        measures=("low", "high", "luck", "time_limit"),
        interval=("low", "high"),
    )


def test_work_cut_off_counts_as_done_until_more_time_is_given(results):
    paper = cut_off_paper()
    first = run_toy(paper=paper)
    assert set(first.rows["status"]) == {"time limit"} and first.coverage() == "all 24 runs"
    assert run_toy(paper=paper).computed == 0
    assert run_toy(paper=paper, time_limit=1).computed == 0
    assert run_toy(paper=paper, time_limit=5).computed == 12
    assert set(run_toy(paper=paper, compute="none").rows["low"]) == {4.5}
    assert set(run_toy(paper=paper, time_limit=10).rows["status"]) == {"ok"}
    assert run_toy(paper=paper, time_limit=20).computed == 0


def test_work_cut_off_is_compared_by_what_is_known(results):
    paper = cut_off_paper()
    run_toy(paper=paper)
    slower = run_toy(paper=paper, compute="all", time_limit=0.5).comparison
    assert slower["agrees"].all() and not slower["identical"].any()
    store = results / "toy-table1.csv"
    store.write_text(store.read_text().replace(",4.05,5.95,", ",7,8,"))
    elsewhere = run_toy(paper=paper, compute="all", time_limit=0.5).comparison
    assert not elsewhere["agrees"].any()
