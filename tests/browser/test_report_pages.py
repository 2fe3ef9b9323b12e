"""The report in a browser: by mouse, by keyboard, in both modes, on a telephone."""

import pytest
from screen import resize
from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

from minority_reports import paths

PAGES = [
    "index",
    "api",
    "RLSDClassifier",
    *(p.stem for p in sorted(paths.notebooks().glob("[0-9][0-9]_*.ipynb"))),
]

VISIBLE_CLAIMS = "return [...document.querySelectorAll('tr.item:not([hidden])')].map(row => row.id)"

# Text whose contrast with what is behind it is below 4.5, by the colours that are really drawn.
POOR_CONTRAST = """
const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
function rgba(colour) {
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = colour;
  canvas.fillRect(0, 0, 1, 1);
  return [...canvas.getImageData(0, 0, 1, 1).data];
}
function behind(element) {
  for (let e = element; e; e = e.parentElement) {
    const colour = rgba(getComputedStyle(e).backgroundColor);
    if (colour[3] === 255) return colour;
  }
  return [255, 255, 255, 255];
}
const luminance = (colour) => {
  const [r, g, b] = colour.slice(0, 3).map((p) => p / 255)
    .map((p) => (p <= 0.04045 ? p / 12.92 : ((p + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const poor = new Map();
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const element = walker.currentNode.parentElement;
  if (!walker.currentNode.data.trim() || element.closest("script, style, .unseen")) continue;
  if (!element.checkVisibility()) continue;
  const pair = [rgba(getComputedStyle(element).color), behind(element)];
  const [low, high] = pair.map(luminance).sort((a, b) => a - b);
  const contrast = (high + 0.05) / (low + 0.05);
  if (contrast < 4.5) poor.set(element.outerHTML.slice(0, 80), contrast);
}
return [...poor].slice(0, 10);
"""


@pytest.fixture
def index(browser, address):
    browser.get(f"{address}/index.html")
    return browser


def status(browser):
    return browser.find_element(By.CSS_SELECTOR, "[role=status]").text


def active(browser):
    return browser.switch_to.active_element


def press(browser, *keys):
    ActionChains(browser).send_keys(*keys).perform()


def test_filter_by_paper_and_verdict(index):
    everything = index.execute_script(VISIBLE_CLAIMS)
    Select(index.find_element(By.NAME, "paper")).select_by_visible_text("DAMVI")
    claims = index.execute_script(VISIBLE_CLAIMS)
    assert claims
    assert all(claim.startswith("damvi-") for claim in claims)
    assert status(index).startswith(f"{len(claims)} of {len(everything)} claims, ")
    shown = index.find_elements(By.CSS_SELECTOR, "figure.item, details.item")
    assert {e.get_attribute("data-paper") for e in shown if e.is_displayed()} == {"damvi"}
    headings = index.find_elements(By.CSS_SELECTOR, "#figures h3")
    assert [h.text for h in headings if h.is_displayed()] == ["DAMVI"]
    Select(index.find_element(By.NAME, "verdict")).select_by_value("partly")
    fewer = index.execute_script(VISIBLE_CLAIMS)
    assert 0 < len(fewer) < len(claims)
    index.find_element(By.CSS_SELECTOR, "#filter [type=reset]").click()
    # the fields are empty once the click is done, and only then the page shows all again
    WebDriverWait(index, 5).until(lambda b: b.execute_script(VISIBLE_CLAIMS) == everything)


def test_search_finds_all_words_in_claims_figures_and_tables(index):
    field = index.find_element(By.NAME, "search")
    field.send_keys("  G-MEAN yeast ")
    shown = [e for e in index.find_elements(By.CSS_SELECTOR, ".item") if e.is_displayed()]
    assert shown
    for element in shown:
        text = element.get_attribute("textContent").lower()
        assert "g-mean" in text
        assert "yeast" in text
    field.send_keys("no such words")
    assert status(index).startswith("0 of ")
    field.clear()
    field.send_keys(Keys.SPACE)
    assert len(index.execute_script(VISIBLE_CLAIMS)) > 100


def test_claims_sort_by_keyboard_and_come_back(index):
    before = index.execute_script(VISIBLE_CLAIMS)
    head = index.find_element(By.CSS_SELECTOR, ".claims th:nth-child(4)")
    column = (
        "return [...arguments[0].closest('table').querySelectorAll('tr.item td:nth-child(4)')]"
        ".map(c => c.innerText)"
    )
    index.execute_script("arguments[0].focus()", head.find_element(By.TAG_NAME, "button"))
    for order, reverse in (("ascending", False), ("descending", True)):
        press(index, Keys.ENTER)
        assert head.get_attribute("aria-sort") == order
        verdicts = index.execute_script(column, head)
        assert verdicts == sorted(verdicts, reverse=reverse)
    press(index, Keys.ENTER)
    assert head.get_attribute("aria-sort") is None
    assert index.execute_script(VISIBLE_CLAIMS) == before


def test_numbers_sort_as_numbers_with_gaps_last_and_means_below_their_line(index):
    link = index.find_element(By.CSS_SELECTOR, "a[href$='boosting_svm_table3_gmean_svm.csv']")
    details = link.find_element(By.XPATH, "ancestor::details")
    index.execute_script("arguments[0].open = true", details)
    last = details.find_elements(By.CSS_SELECTOR, "tbody tr")[-1].text
    head = details.find_element(By.CSS_SELECTOR, "thead tr:last-child th:nth-child(2) button")
    index.execute_script("arguments[0].scrollIntoView({block: 'center'})", head)
    head.click()
    head.click()
    rows = details.find_elements(By.CSS_SELECTOR, "tbody tr")
    assert rows[-1].text == last
    values = [row.find_elements(By.TAG_NAME, "td")[0].text for row in rows[:-1]]
    gaps = [value.startswith("–") for value in values]
    numbers = [float(v.split()[0]) for v, gap in zip(values, gaps, strict=True) if not gap]
    assert len(numbers) > 5
    assert numbers == sorted(numbers, reverse=True)
    assert gaps == sorted(gaps) and any(gaps)


def test_figures_enlarge_and_give_the_focus_back(index, screenshots):
    link = index.find_element(By.CSS_SELECTOR, "a.enlarge")
    dialog = index.find_element(By.TAG_NAME, "dialog")
    index.execute_script("arguments[0].focus()", link)
    press(index, Keys.ENTER)
    assert dialog.is_displayed()
    assert active(index).text == "Close"
    image = dialog.find_element(By.TAG_NAME, "img")
    assert image.get_attribute("src").endswith(".png")
    assert image.get_attribute("alt") == link.find_element(By.TAG_NAME, "img").get_attribute("alt")
    index.execute_async_script("arguments[0].decode().then(arguments[1])", image)
    small = link.find_element(By.TAG_NAME, "img").size["width"]
    assert image.size["width"] > 1.5 * small
    index.save_screenshot(str(screenshots / "report_dialog.png"))
    press(index, Keys.ESCAPE)
    assert not dialog.is_displayed()
    assert active(index) == link
    link.click()
    dialog.find_element(By.TAG_NAME, "button").click()
    assert not dialog.is_displayed()


def ground(browser):
    return browser.execute_script("return getComputedStyle(document.body).backgroundColor")


def prefer(browser, scheme):
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def test_dark_by_preference_and_by_choice_which_is_remembered(index, address):
    light = ground(index)
    prefer(index, "dark")
    dark = ground(index)
    assert dark != light
    button = index.find_element(By.ID, "theme")
    assert button.text == "Light mode"
    button.click()
    assert ground(index) == light
    assert button.text == "Dark mode"
    index.refresh()
    assert ground(index) == light
    index.get(f"{address}/api.html")
    assert ground(index) == light


def test_a_browser_that_refuses_storage_still_has_both_modes(browser, address):
    refuse = "Object.defineProperty(window, 'localStorage', {get() {throw new Error('refused')}})"
    browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": refuse})
    browser.get(f"{address}/index.html")
    light = ground(browser)
    browser.find_element(By.ID, "theme").click()
    assert ground(browser) != light
    browser.find_element(By.NAME, "search").send_keys("yeast")
    assert status(browser)
    assert browser.get_log("browser") == []


def test_by_keyboard_alone(index):
    press(index, Keys.TAB)
    assert active(index).text == "Skip to the content"
    press(index, Keys.ENTER)
    press(index, Keys.TAB)
    assert active(index).text == "Notebooks", "the links of the header are passed over"
    seen = set()
    for _ in range(60):
        press(index, Keys.TAB)
        element = active(index)
        outline = index.execute_script(
            "const style = getComputedStyle(arguments[0]);"
            "return [style.outlineStyle, style.outlineWidth]",
            element,
        )
        assert outline == ["solid", "3px"], element.get_attribute("outerHTML")[:100]
        seen.add(element.get_attribute("name") or element.get_attribute("class"))
        if element.get_attribute("name") == "search":
            press(index, "yeast")
        if "enlarge" in seen:
            break
    assert {"paper", "verdict", "search", "sort", "enlarge"} <= seen
    assert " 0 of " not in status(index)


@pytest.mark.parametrize("page", PAGES)
def test_pages_are_fit_for_everyone(browser, address, screenshots, page):
    browser.get(f"{address}/{page}.html")
    for scheme in ("light", "dark"):
        prefer(browser, scheme)
        assert browser.execute_script(POOR_CONTRAST) == []
        browser.save_screenshot(str(screenshots / f"report_{page}_{scheme}.png"))
    prefer(browser, "light")
    controls = browser.find_elements(By.CSS_SELECTOR, "button, select, input, main a[href]")
    shown = [control for control in controls[:200] if control.is_displayed()]
    assert len(shown) > 5
    for control in shown:
        assert control.accessible_name, control.get_attribute("outerHTML")[:100]
    resize(browser, 360, 740)
    wide, shown = browser.execute_script(
        "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert wide <= shown, "the page itself must not scroll sideways"
    browser.save_screenshot(str(screenshots / f"report_{page}_360px.png"))
    assert browser.get_log("browser") == []


def test_without_scripts_claims_figures_and_tables_can_be_read(browser, address, screenshots):
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    browser.get(f"{address}/index.html")
    rows = browser.find_elements(By.CSS_SELECTOR, "tr.item")
    assert len(rows) > 100
    assert rows[0].is_displayed()
    assert not rows[-1].is_displayed(), "claims that hold by construction are folded"
    browser.find_element(By.CSS_SELECTOR, "#claims summary").click()
    assert rows[-1].is_displayed()
    assert not browser.find_element(By.ID, "filter").is_displayed()
    browser.find_element(By.CSS_SELECTOR, "#tables summary").click()
    assert browser.find_element(By.CSS_SELECTOR, "#tables table").is_displayed()
    browser.find_element(By.CSS_SELECTOR, "a.enlarge").click()
    assert browser.current_url.endswith(".png")


def test_names_of_the_library_are_searched(browser, address):
    browser.get(f"{address}/api.html")
    browser.find_element(By.NAME, "search").send_keys("svm class")
    shown = [h.text for h in browser.find_elements(By.CSS_SELECTOR, "h3") if h.is_displayed()]
    assert "BoostingSVMClassifier" in shown
    assert "FastBoxesClassifier" not in shown
    assert status(browser).startswith(f"{len(shown)} of ")
