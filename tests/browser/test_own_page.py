"""The page on a user's own file in a browser: wide, on a telephone, dark."""

import pytest
from screen import resize
from selenium.webdriver.common.by import By
from test_report_pages import POOR_CONTRAST

from minority_reports import paths
from minority_reports.experiments import Settings
from minority_reports.papers.showdown import PAPER
from minority_reports.papers.showdown.own.comparison import Plan, compare
from minority_reports.papers.showdown.own.findings import Findings
from minority_reports.papers.showdown.own.page import write_own_page


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The page of the bundled example, from the file system."""
    folder = tmp_path_factory.mktemp("own")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paths, "cache", lambda: folder / "cache")
        settings = Settings(
            PAPER,
            datasets=[str(paths.bundled() / "example_imbalanced.csv")],
            target="outcome",
            methods="cart-3,logistic,rlsd,gradient-boosting",
            n_jobs=1,
        )
        (name,) = settings.own
        plan = Plan.of(settings.own[name].load(), settings, folds=3, tuned=False)
        findings = Findings.of(compare(plan), settings)
        return write_own_page(findings, folder / "own.html").as_uri()


def scheme(browser, mode):
    feature = {"name": "prefers-color-scheme", "value": mode}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})


def unfold(browser):
    browser.execute_script("document.querySelectorAll('details').forEach(e => e.open = true)")


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("width", [1100, 360])
def test_the_answer_is_on_the_first_screen_and_nothing_sticks_out(
    browser, page, screenshots, width, mode
):
    resize(browser, width, 800)
    scheme(browser, mode)
    browser.get(page)
    headline = browser.find_element(By.TAG_NAME, "h1")
    assert headline.text.startswith(("Use ", "No method"))
    assert headline.rect["y"] + headline.rect["height"] < 500
    assert browser.find_element(By.CSS_SELECTOR, ".answer p").rect["y"] < 800
    assert not any(d.get_property("open") for d in browser.find_elements(By.TAG_NAME, "details"))
    height = browser.execute_script("return document.documentElement.scrollHeight")
    resize(browser, width, height)
    browser.save_screenshot(str(screenshots / f"own_{width}_{mode}.png"))
    for opened in (False, True):
        if opened:
            unfold(browser)
        widest = browser.execute_script("return document.documentElement.scrollWidth")
        assert widest <= width
        assert browser.execute_script(POOR_CONTRAST) == []
    height = browser.execute_script("return document.documentElement.scrollHeight")
    resize(browser, width, min(height, 8000))
    browser.save_screenshot(str(screenshots / f"own_{width}_{mode}_unfolded.png"))
    assert [line for line in browser.get_log("browser") if line["level"] == "SEVERE"] == []


def test_figures_are_drawn_in_the_ink_of_the_page(browser, page):
    for mode in ("light", "dark"):
        scheme(browser, mode)
        browser.get(page)
        ink, drawn = browser.execute_script(
            "const text = document.querySelector('figure svg [id*=text] *[style*=fill],"
            " figure svg [id*=text] g');"
            "return [getComputedStyle(document.body).color, getComputedStyle(text).fill]"
        )
        assert drawn == ink


def test_details_open_by_keyboard_and_tables_scroll_by_themselves(browser, page):
    resize(browser, 360, 800)
    browser.get(page)
    summary = browser.find_element(By.CSS_SELECTOR, "details summary")
    browser.execute_script("arguments[0].focus()", summary)
    summary.send_keys(" ")
    details = summary.find_element(By.XPATH, "..")
    assert details.get_property("open")
    assert details.find_element(By.TAG_NAME, "table").is_displayed()
    unfold(browser)
    scrolling = browser.execute_script(
        "return [...document.querySelectorAll('.wide')].map(e => e.scrollWidth > e.clientWidth)"
    )
    assert any(scrolling), "wide tables scroll inside of the page"
