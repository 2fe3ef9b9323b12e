"""Docstrings as HTML."""

import inspect
import re

import pytest

from minority_reports.report.api import _methods, _signature, describe_api
from minority_reports.report.docstrings import SECTIONS, docstring_html, inline_html


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("``a < b``", "<code>a &lt; b</code>"),
        ("`X` and *more*", "<code>X</code> and <em>more</em>"),
        ("see [1]_", "see [1]"),
        (":class:`~minority.rules.Rule`", '<a href="#Rule"><code>Rule</code></a>'),
        ("2 * 3 * 4 <b>", "2 * 3 * 4 &lt;b&gt;"),
    ],
)
def test_inline_markup(text, html):
    assert inline_html(text, {"Rule"}) == html


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
    assert "<pre><code>&gt;&gt;&gt; print(1 &lt; 2)\nTrue</code></pre>" in html


def test_no_markup_is_left_over_in_the_library():
    entries = [o for module in describe_api() for o in module["objects"]]
    entries += [method for entry in entries for method in entry["methods"]]
    assert len(entries) > 200
    for entry in entries:
        html = re.sub(r"<(pre|math|code)\b.*?</\1>", "", entry["rest"], flags=re.DOTALL)
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
    assert _signature(RuleSet).endswith("= None)")


def test_methods_without_what_is_inherited_from_elsewhere(monkeypatch):
    monkeypatch.setattr(_Toy, "__module__", "minority.toy")
    methods = _methods(_Toy)
    assert {name: _signature(m) for name, m in methods.items()} == {"public": "(x=1)", "made": "()"}
    assert "mro" not in methods
    assert inspect.isfunction(methods["made"])
