"""A headless Chromium for the tests in this folder, which `make browser` runs."""

import shutil
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from screen import resize
from selenium import webdriver

from minority_reports import paths

#: Nothing is fetched, kept or shared, and a container's root user may run it.
FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@pytest.fixture(scope="session")
def screenshots():
    """Where pictures go that a person is to look at."""
    folder = paths.runs() / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture
def browser(tmp_path):
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for flag in [*FLAGS, f"--user-data-dir={tmp_path / 'profile'}"]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = webdriver.ChromeService(shutil.which("chromedriver"))
    driver = webdriver.Chrome(options=options, service=service)
    resize(driver, 1280, 900)
    yield driver
    driver.quit()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


@pytest.fixture(scope="session")
def report(tmp_path_factory):
    """The report, from the notebooks as they are saved."""
    from minority_reports.papers import papers
    from minority_reports.report import build_page, published_papers, stored_results, summarise

    notebooks = sorted(paths.notebooks().glob("[0-9][0-9]_*.ipynb"))
    folder = tmp_path_factory.mktemp("report")
    known = {name: papers()[name] for name in published_papers()}
    results = stored_results(known)
    summaries = {name: summarise(paper, results[name]) for name, paper in known.items()}
    agreement = {"compared": 4, "agreeing": 4, "identical": 4, "text": "toy: 4 of 4 rows agree"}
    return build_page(notebooks, summaries, agreements=[agreement], folder=folder).parent


@pytest.fixture(scope="session")
def served(report):
    """The report's address on a server of this machine only."""
    handler = partial(_Quiet, directory=report)
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.fixture(params=["served", "file"])
def address(request, report):
    """The report's address, on a server and in the file system."""
    return request.getfixturevalue("served") if request.param == "served" else report.as_uri()
