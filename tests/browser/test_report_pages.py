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
    "summary_boosting_svm",
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


def in_view(browser, element):
    """Whether the top of an element is on the screen, below the bar of filters."""
    return browser.execute_script(
        "const bar = document.getElementById('filter').getBoundingClientRect();"
        "const top = arguments[0].getBoundingClientRect().top;"
        "return top >= (bar.top <= 0 ? bar.bottom : 0) - 2 && top < innerHeight",
        element,
    )


def hash_of(browser):
    return browser.execute_script("return decodeURIComponent(location.hash).replaceAll('+', ' ')")


def test_the_first_screen_says_what_came_out_of_every_paper(index, screenshots):
    papers = index.find_elements(By.CSS_SELECTOR, "article.paper")
    assert len(papers) == 5
    for paper in papers:
        bar = paper.find_element(By.CSS_SELECTOR, ".bar")
        assert bar.rect["y"] + bar.rect["height"] < 900
        assert len(paper.find_element(By.CSS_SELECTOR, "p").text) > 80
        widths = [part.rect["width"] for part in bar.find_elements(By.TAG_NAME, "a")]
        assert min(widths) > 15
    assert index.find_element(By.CSS_SELECTOR, "#run-it summary").text == (
        "4 rows recomputed on this machine, all identical."
    )
    index.save_screenshot(str(screenshots / "report_front.png"))


def test_details_are_folded_and_open_by_keyboard(index):
    summary = index.find_element(By.CSS_SELECTOR, "#run-it summary")
    line = index.find_element(By.CSS_SELECTOR, "#run-it details li")
    assert not line.is_displayed()
    index.execute_script("arguments[0].focus()", summary)
    press(index, Keys.ENTER)
    assert line.text == "toy: 4 of 4 rows agree"


def test_the_address_keeps_what_is_chosen(index, address):
    Select(index.find_element(By.NAME, "paper")).select_by_value("damvi")
    Select(index.find_element(By.NAME, "verdict")).select_by_value("not reproduced")
    index.find_element(By.NAME, "search").send_keys("F1 AP")
    assert hash_of(index) == "#paper=damvi&verdict=not reproduced&search=F1 AP"
    claims = index.execute_script(VISIBLE_CLAIMS)
    assert 0 < len(claims) < 5
    link = index.current_url
    index.get("about:blank")
    index.get(link)
    assert index.execute_script(VISIBLE_CLAIMS) == claims
    assert index.find_element(By.NAME, "search").get_attribute("value") == "F1 AP"
    assert in_view(index, index.find_element(By.ID, "claims"))
    index.find_element(By.CSS_SELECTOR, "#filter [type=reset]").click()
    WebDriverWait(index, 5).until(lambda b: hash_of(b) == "")
    assert len(index.execute_script(VISIBLE_CLAIMS)) > 100


def test_a_part_of_a_bar_leads_to_its_claims_and_the_way_back_undoes_it(index):
    everything = index.execute_script(VISIBLE_CLAIMS)
    part = index.find_element(By.CSS_SELECTOR, ".bar a[href*='damvi'].partly")
    number = int(part.text.split()[0])
    part.click()
    WebDriverWait(index, 5).until(lambda b: len(b.execute_script(VISIBLE_CLAIMS)) == number)
    assert Select(index.find_element(By.NAME, "verdict")).first_selected_option.text.startswith(
        "partly"
    )
    index.back()
    WebDriverWait(index, 5).until(lambda b: b.execute_script(VISIBLE_CLAIMS) == everything)


def test_a_claim_leads_to_its_evidence_and_the_evidence_to_its_claims(index, screenshots):
    claim = index.find_element(By.ID, "damvi-16")
    (link,) = [a for a in claim.find_elements(By.TAG_NAME, "a") if a.text.startswith("Shown in")]
    table = index.find_element(By.ID, link.get_attribute("href").partition("#")[2])
    assert table.get_attribute("open") is None
    index.execute_script("arguments[0].click()", link)
    WebDriverWait(index, 5).until(lambda b: in_view(b, table))
    assert table.find_element(By.TAG_NAME, "table").is_displayed()
    index.save_screenshot(str(screenshots / "report_evidence.png"))
    (back,) = [a for a in table.find_elements(By.CSS_SELECTOR, ".back a") if a.text == "damvi-16"]
    index.execute_script("arguments[0].click()", back)
    WebDriverWait(index, 5).until(lambda b: in_view(b, claim))
    index.save_screenshot(str(screenshots / "report_claim.png"))
    index.back()
    WebDriverWait(index, 5).until(lambda b: in_view(b, table))


def test_a_link_to_what_is_filtered_away_or_folded_shows_it(index, address):
    Select(index.find_element(By.NAME, "paper")).select_by_value("damvi")
    claim = index.find_element(By.ID, "rlsd-20")
    assert not claim.is_displayed()
    index.execute_script("location.hash = 'rlsd-20'")
    WebDriverWait(index, 5).until(lambda b: claim.is_displayed() and in_view(b, claim))
    folded = index.find_element(By.CSS_SELECTOR, "#claims details tr.item")
    assert not folded.is_displayed()
    index.execute_script("location.hash = arguments[0].id", folded)
    WebDriverWait(index, 5).until(lambda b: folded.is_displayed() and in_view(b, folded))


def test_arrows_stay_with_their_own_headings(index, address):
    index.execute_script("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    outside = index.execute_script(
        "return [...document.querySelectorAll('.sort')].filter(button => {"
        "const [a, b] = [button, button.parentElement].map(e => e.getBoundingClientRect());"
        "return a.left < b.left - 1 || a.right > b.right + 1 || button.scrollWidth > a.width + 1;"
        "}).map(button => button.innerText)"
    )
    assert outside == []


@pytest.mark.parametrize("width", [1300, 360])
def test_wide_tables_scroll_and_nothing_is_cut(browser, address, width):
    resize(browser, width, 900)
    browser.get(f"{address}/02_damvi.html")
    cut = browser.execute_script(
        "return [...document.querySelectorAll('table')].filter(t => t.checkVisibility()).filter("
        "table => { for (let e = table.parentElement; e.tagName !== 'BODY'; e = e.parentElement) {"
        "if (e.scrollWidth > e.clientWidth + 1)"
        "  return !['auto', 'scroll'].includes(getComputedStyle(e).overflowX); }"
        "return table.getBoundingClientRect().right > innerWidth; }"
        ").map(table => table.innerText.slice(0, 80))"
    )
    assert cut == []


def test_formulas_are_drawn_with_the_font_of_the_page(browser, address, screenshots):
    browser.get(f"{address}/01_box_drawings.html")
    browser.execute_async_script("document.fonts.ready.then(arguments[0])")
    status = browser.execute_script(
        "return [...document.fonts].map(font => [font.family, font.status])"
    )
    assert status == [["STIX Two Math", "loaded"]]
    below = browser.execute_script(
        "return [...document.querySelectorAll('msub')].map(sub => [...sub.children]"
        ".map(part => part.getBoundingClientRect().bottom)).map(([base, index]) => index - base)"
    )
    assert len(below) > 20
    assert min(below) > 0, "an index that is not below its letter"
    block = browser.find_element(By.CSS_SELECTOR, "math[display=block]")
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", block)
    browser.save_screenshot(str(screenshots / "report_formulas.png"))


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


def test_figures_are_dark_on_dark_pages(index):
    look = "return getComputedStyle(document.querySelector('main img')).filter"
    assert index.execute_script(look) == "none"
    prefer(index, "dark")
    assert index.execute_script(look).startswith("invert")
    index.find_element(By.ID, "theme").click()
    assert index.execute_script(look) == "none"


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
    assert active(index).text == "Box Drawings", "the links of the header are passed over"
    assert active(index).find_element(By.XPATH, "ancestor::article")
    seen = set()
    for _ in range(150):
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
        if "sort" in seen:
            break
    assert {"enlarge", "grade partly", "paper", "verdict", "search", "sort"} <= seen
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
