"""Every notebook in JupyterLab: opened, run from the menu, looked at, changed and run again."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass

import nbformat
import pytest
import requests
from screen import resize
from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from minority_reports import paths

NOTEBOOKS = [path.name for path in sorted(paths.notebooks().glob("[0-9][0-9]_*.ipynb"))]

#: Run All takes less than a minute on a quiet machine; more is reported, three times as much fails.
QUIET, LIMIT = 60, 180

SETTINGS = {
    # all cells are in the document, or they could not be counted and looked at
    "notebook-extension/tracker": {"windowingMode": "none"},
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}

STATE = """
const panel = window.jupyterapp?.shell.currentWidget;
const cells = [...(panel?.content?.model?.cells ?? [])].filter((cell) => cell.type === "code");
const outputs = cells.flatMap((cell) => cell.outputs.toJSON());
return {
  kernel: panel?.sessionContext?.session?.kernel?.status ?? "none",
  counts: cells.map((cell) => cell.executionCount ?? 0),
  errors: outputs.filter((o) => o.output_type === "error").map((o) => `${o.ename}: ${o.evalue}`),
  stderr: outputs.filter((o) => o.name === "stderr").map((o) => [].concat(o.text).join("")),
};
"""

LAYOUT = """
const outputs = [...document.querySelectorAll(".jp-OutputArea-output")];
const images = [...document.querySelectorAll(".jp-OutputArea-output img")];
return {
  figures: images.filter((i) => i.naturalWidth > 100 && i.clientWidth > 100).length,
  wide: outputs.filter((o) => o.scrollWidth > o.clientWidth + 1)
    .map((o) => (o.querySelector("caption") ?? o).innerText.slice(0, 60)),
};
"""


@dataclass
class Lab:
    url: str
    token: str

    def open(self, browser, notebook):
        browser.get(f"{self.url}/lab/tree/{notebook}?reset&token={self.token}")
        ready = lambda driver: driver.execute_script(STATE)["kernel"] == "idle"  # noqa: E731
        WebDriverWait(browser, 120).until(ready)

    def stop_kernels(self):
        address, headers = f"{self.url}/api/kernels", {"Authorization": f"token {self.token}"}
        for kernel in requests.get(address, headers=headers).json():
            requests.delete(f"{address}/{kernel['id']}", headers=headers)


def _running(folder):
    """The server that has noted its address in a folder, once it answers."""
    for file in folder.glob("jpserver-*.json"):
        try:
            facts = json.loads(file.read_text())
            lab = Lab(f"http://127.0.0.1:{facts['port']}", facts["token"])
            return lab if requests.get(f"{lab.url}/api", timeout=10).ok else None
        except (ValueError, requests.RequestException):
            return None  # half written, or not listening yet


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """JupyterLab on this machine only, with a token, and with copies of all that it may write."""
    home = tmp_path_factory.mktemp("lab")
    (home / "notebooks").mkdir()
    for name in NOTEBOOKS:
        notebook = nbformat.read(paths.notebooks() / name, as_version=4)
        for cell in notebook.cells:
            if cell.cell_type == "code":
                cell.outputs, cell.execution_count = [], None
        nbformat.write(notebook, home / "notebooks" / name)
    for name, values in SETTINGS.items():
        file = home / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(values))
    shutil.copytree(paths.results(), home / "results")
    shutil.copytree(paths.figures(), home / "figures")
    folders = {
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "IPYTHONDIR": "ipython",
        "MINORITY_RESULTS": "results",
        "MINORITY_FIGURES": "figures",
    }
    command = [sys.executable, "-m", "jupyterlab", str(home / "notebooks")]
    command += ["--ip=127.0.0.1", "--port=0", "--no-browser", "--allow-root"]
    command += ["--LabApp.expose_app_in_browser=True"]
    environment = os.environ | {name: str(home / folder) for name, folder in folders.items()}
    with open(home / "log", "w") as log:
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    deadline = time.monotonic() + 120
    while (lab := _running(home / "runtime")) is None:
        assert server.poll() is None and time.monotonic() < deadline, (home / "log").read_text()
        time.sleep(0.5)
    yield lab
    server.terminate()
    server.wait(30)


@pytest.fixture(scope="module")
def seconds():
    """How long each notebook took."""
    return {}


def choose(browser, *labels):
    """Click through the menus."""
    menu = ".lm-MenuBar-itemLabel"
    for label in labels:
        entry = lambda driver, menu=menu, label=label: next(  # noqa: E731
            (
                item
                for item in driver.find_elements(By.CSS_SELECTOR, menu)
                if item.text == label and item.is_displayed()
            ),
            None,
        )
        WebDriverWait(browser, 20).until(entry).click()
        menu = ".lm-Menu-itemLabel"


def run_all(browser):
    """Run all cells; returns the seconds until the last one is done, and the state then."""
    # Where more processes wait than there are cores, each gets its share only.
    limit = LIMIT * max(1, os.getloadavg()[0] / os.cpu_count())
    before = max(browser.execute_script(STATE)["counts"])
    start = time.monotonic()
    choose(browser, "Run", "Run All Cells")
    while True:
        state = browser.execute_script(STATE)
        taken = time.monotonic() - start
        done = min(state["counts"]) > before and state["kernel"] == "idle"
        if done or state["errors"] or taken > limit:
            assert state["errors"] == []
            assert done, f"not done after {limit:.0f} s"
            return taken, state
        time.sleep(0.5)


def photograph(browser, folder, stem):
    """A notebook at five places from its top to its last cell."""
    for place in range(5):
        browser.execute_script(
            "const cells = document.querySelectorAll('.jp-Notebook .jp-Cell');"
            "const cell = cells[Math.round(arguments[0] / 4 * (cells.length - 1))];"
            "cell.scrollIntoView({block: arguments[0] === 4 ? 'end' : 'start'})",
            place,
        )
        time.sleep(1)
        browser.save_screenshot(str(folder / f"lab_{stem}_{place + 1}.png"))


def test_the_server_asks_for_its_token(lab):
    assert len(lab.token) >= 32
    assert requests.get(f"{lab.url}/api/contents").status_code == 403
    headers = {"Authorization": f"token {lab.token}"}
    assert requests.get(f"{lab.url}/api/contents", headers=headers).status_code == 200


@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_run_all(lab, browser, notebook, seconds, screenshots):
    resize(browser, 1400, 1000)
    lab.open(browser, notebook)
    try:
        taken, state = run_all(browser)
        layout = browser.execute_script(LAYOUT)
        photograph(browser, screenshots, notebook.removesuffix(".ipynb"))
    finally:
        lab.stop_kernels()
    seconds[notebook] = taken
    remark = "" if taken < QUIET else f", more than {QUIET} s: is the machine busy?"
    print(f"\n{notebook}: {taken:.0f} s{remark}, {layout['figures']} figures")
    for caption in layout["wide"]:
        print(f"  wider than the page: {caption!r}")
    assert layout["figures"] >= 1
    text = "".join(state["stderr"])
    assert "Warning" not in text
    for bar in re.findall(r"(\d+)%\|[^\r\n]*$", text, re.MULTILINE):
        assert bar == "100", "a progress bar that does not end"


def test_change_a_parameter_and_run_again(lab, browser, seconds, screenshots):
    from minority_reports.papers import select

    papers = {name: taken for name, taken in seconds.items() if not name.startswith("00")}
    notebook = min(papers, key=papers.get)
    paper = select(notebook.removesuffix(".ipynb")[3:]).popitem()[1]
    chosen = next(iter(paper.experiments.values())).datasets[0]
    resize(browser, 1400, 1000)
    lab.open(browser, notebook)
    try:
        run_all(browser)
        unfold(browser)
        assert chosen not in settings_table(browser)
        unfold_parameters(browser)
        type_over(browser, "datasets", "all", chosen)
        taken, _ = run_all(browser)
        unfold(browser)
        assert chosen in settings_table(browser)
        photograph(browser, screenshots, "changed_parameter")
    finally:
        lab.stop_kernels()
    print(f"\n{notebook} again with {chosen} alone: {taken:.0f} s")


@pytest.mark.parametrize(
    ("notebook", "slider"), [("01_box_drawings.ipynb", "K"), ("05_sampling_wrapper.ipynb", "ratio")]
)
def test_play_with_a_slider_by_keyboard(lab, browser, screenshots, notebook, slider):
    resize(browser, 1400, 1200)
    lab.open(browser, notebook)
    try:
        run_all(browser)
        control = next(
            control
            for control in browser.find_elements(By.CSS_SELECTOR, ".widget-hslider")
            if control.find_element(By.TAG_NAME, "label").text == slider
        )
        handle = control.find_element(By.CSS_SELECTOR, ".noUi-handle")
        picture = lambda: browser.find_element(By.CSS_SELECTOR, ".widget-html img")  # noqa: E731
        group = browser.find_element(By.CSS_SELECTOR, ".widget-vbox")
        browser.execute_script("arguments[0].scrollIntoView({block: 'start'})", group)
        before, old = picture().get_attribute("src"), picture().get_attribute("alt")
        value = control.find_element(By.CSS_SELECTOR, ".widget-readout").text
        start = time.monotonic()
        handle.send_keys(Keys.ARROW_RIGHT)
        WebDriverWait(browser, 20).until(lambda _: picture().get_attribute("src") != before)
        taken = time.monotonic() - start
        assert control.find_element(By.CSS_SELECTOR, ".widget-readout").text != value
        assert picture().get_attribute("alt") != old
        assert browser.execute_script("return arguments[0].naturalWidth", picture()) > 400
        browser.save_screenshot(str(screenshots / f"lab_play_{notebook[:2]}.png"))
    finally:
        lab.stop_kernels()
    print(f"\n{notebook}: redrawn after {taken:.2f} s")


def unfold(browser):
    """Open hidden code, such as the parameters, and what is folded."""
    browser.execute_script(
        "document.querySelectorAll('.jp-InputPlaceholder .jp-Placeholder-content')"
        ".forEach((hidden) => hidden.click());"
        "document.querySelectorAll('.jp-OutputArea details').forEach((d) => { d.open = true; });"
    )


def settings_table(browser):
    """What the notebook says was asked for, which is folded."""
    tables = browser.find_elements(By.CSS_SELECTOR, ".minority-table")
    texts = [table.get_attribute("textContent").strip() for table in tables]
    (settings,) = [text for text in texts if text.startswith("Settings")]
    return settings


def unfold_parameters(browser):
    """Open the cell of the parameters, which JupyterLab hides when a notebook is opened."""
    hidden = browser.find_element(By.CSS_SELECTOR, ".jp-Cell .jp-InputPlaceholder")
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", hidden)
    hidden.click()


def type_over(browser, parameter, old, new):
    """Double-click a word in a line of the parameters and type another."""
    (line,) = [
        line
        for line in browser.find_elements(By.CSS_SELECTOR, ".cm-line")
        if line.text.startswith(f"{parameter}: str =")
    ]
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", line)
    (word,) = [span for span in line.find_elements(By.TAG_NAME, "span") if span.text == f'"{old}"']
    ActionChains(browser).double_click(word).perform()
    ActionChains(browser).send_keys(new).perform()
    assert line.text.startswith(f'{parameter}: str = "{new}"')
