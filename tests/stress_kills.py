"""A hundred kills at random moments: every row must come out the same. Run by `make stress`.

Each round starts a small batch in a process of its own and kills it (kill -9) after a random time;
the next round resumes. Whenever a batch gets through, its file must equal, byte for byte, that of a
batch that nobody disturbed, and the next one starts from nothing.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
KNOWN = os.environ.get("PYTHONPATH", "")
BATCH = (
    "import toy; from minority_reports.experiments import Settings, run; p = toy.paper()\n"
    "run(p.experiments['table1'], Settings(p, compute='missing', n_jobs={n_jobs}))"
)


def start(folder: Path, n_jobs: int) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-c", BATCH.format(n_jobs=n_jobs)],
        env=os.environ
        | {"PYTHONPATH": os.pathsep.join([str(HERE / "experiments"), KNOWN])}
        | {"MINORITY_RESULTS": str(folder), "TOY_SECONDS": "0.1"},
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def main(kills: int = 100, seed: int = 0) -> int:
    rng = random.Random(seed)
    top = Path(tempfile.mkdtemp())
    calm, wild = top / "calm", top / "wild"
    began = time.monotonic()
    assert start(calm, 1).wait() == 0
    longest = time.monotonic() - began
    expected = (calm / "toy-table1.csv").read_bytes()
    done = finished = torn = 0
    while done < kills:
        process = start(wild, rng.choice([1, 2]))
        try:
            process.wait(timeout=rng.uniform(0.2, 1) * longest)
        except subprocess.TimeoutExpired:
            # sometimes with all its workers, sometimes alone
            victim = os.killpg if rng.random() < 0.5 else os.kill
            victim(process.pid, signal.SIGKILL)
            process.wait()
            done += 1
            file = wild / "toy-table1.csv"
            torn += file.exists() and not file.read_bytes().endswith(b"\n")
            continue
        assert process.returncode == 0, "a batch failed by itself"
        assert (wild / "toy-table1.csv").read_bytes() == expected, "rows differ after resuming"
        shutil.rmtree(wild)
        finished += 1
    assert start(wild, 2).wait() == 0
    assert (wild / "toy-table1.csv").read_bytes() == expected, "rows differ after resuming"
    shutil.rmtree(top)
    print(f"{done} kills, {finished + 1} batches came through, {torn} torn files: all identical")
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
