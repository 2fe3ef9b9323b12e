"""Docstrings as HTML."""

import inspect
import re

import pytest
from bs4 import BeautifulSoup

from minority_reports.report.api import (
    _methods,
    _signature,
    describe_api,
    describe_estimators,
)
from minority_reports.report.docstrings import SECTIONS, docstring_html, inline_html


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("``a < b``", "<code>a &lt; b</code>"),
        ("`X` and *more*", "<code>X</code> and <em>more</em>"),
        ("see [1]_", "see [1]"),
        (":class:`~minority.rules.Rule`", '<a href="api.html#Rule"><code>Rule</code></a>'),
        ("2 * 3 * 4 <b>", "2 * 3 * 4 &lt;b&gt;"),
    ],
)
def test_inline_markup(text, html):
    assert inline_html(text, {"Rule": "api.html#Rule"}) == html


def test_formulas_become_mathml():
    assert ">β<" in inline_html(r":math:`\beta`").replace("&#x003B2;", "β")
    block = docstring_html("Minimises\n\n.. math::\n\n    a + b\n\nover a.", level=4)
    assert block.count("<math") == 1
    assert 'display="block"' in block
    assert block.endswith("<p>over a.</p>")


def test_sections():
    html = docstring_html(
        """Draw.

        Parameters
        ----------
        low, high : float, default=0
            Both `ends`.

            - one
            - two

        See Also
        --------
        cut : Does less.

        References
        ----------
        .. [1] A. Author, "A title",
           2004.

        Examples
        --------
        >>> print(1 < 2)
        True
        """,
        level=3,
    )
    assert html.count("<h3>") == 4
    assert "<dt><code>low</code>, <code>high</code>" in html
    assert "<ul><li>one</li><li>two</li></ul>" in html
    assert "<ol><li>A. Author" in html
    assert html.endswith('<span class="go">True</span></code></pre>')
    assert BeautifulSoup(html, "html.parser").pre.get_text() == ">>> print(1 < 2)\nTrue"


def test_a_kind_may_go_on_in_the_next_line():
    html = docstring_html(
        "Do.\n\nParameters\n----------\nx : int, \\\n        default=1\n    It.", level=2
    )
    assert '<span class="kind">int, default=1</span></dt><dd><p>It.</p></dd>' in html


def test_no_markup_is_left_over_in_the_library():
    entries = [o for module in describe_api() for o in module["objects"] if "page" not in o]
    entries += describe_estimators()
    entries += [method for entry in entries for method in entry["methods"]]
    assert len(entries) > 200
    for entry in entries:
        parts = [entry.get(part, "") for part in ("about", "use", "avoid", "example")]
        html = "\n".join(
            [*parts, *entry.get("terms", []), *entry["rest"]]
            if "page" in entry
            else [entry["rest"]]
        )
        html = re.sub(r"<(pre|math|code)\b.*?</\1>", "", html, flags=re.DOTALL)
        assert not re.search(r"`|:\w+:|::|^-{3,}|^\.\. ", html, re.MULTILINE), entry["name"]
        for title in SECTIONS:
            assert not re.search(rf"<p>{title}\b.*?-{{3,}}", html), entry["name"]


class _Toy:
    def public(self, x=1):
        """Documented."""

    @classmethod
    def made(cls):
        """Documented."""

    def undocumented(self):
        pass


def test_signatures_show_what_a_caller_needs():
    from minority.rules import RuleSet

    assert _signature(RuleSet).startswith("(rules: tuple[Rule, ...], default: Rule, ")
    assert _signature(RuleSet).endswith("exclusive: bool = False)")


def test_methods_without_what_is_inherited_from_elsewhere(monkeypatch):
    monkeypatch.setattr(_Toy, "__module__", "minority.toy")
    methods = _methods(_Toy)
    assert {name: _signature(m) for name, m in methods.items()} == {"public": "(x=1)", "made": "()"}
    assert "mro" not in methods
    assert inspect.isfunction(methods["made"])
