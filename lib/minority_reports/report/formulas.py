"""Formulas as MathML, which browsers draw themselves, and the font that they are drawn with.

Without a font made for mathematics browsers guess where subscripts, limits and roots go.
"""

import re
from base64 import b64encode
from functools import cache
from html import unescape
from importlib import resources
from xml.etree import ElementTree

#: A subset of STIX Two Math: Latin and Greek letters, operators, brackets and their larger forms.
#: Its licence lies beside it. Cut out of the npm package @fontsource/stix-two-math 5.3.0.
FONT = "stix-two-math.woff"

#: Operators that have what is below them on a line of its own in a displayed formula.
_WITH_LIMITS = {"min", "max", "sup", "inf", "lim"}
_NAMES = _WITH_LIMITS | {"arg", "cos", "det", "exp", "ln", "log", "sin", "tan", "Pr"}
_SCRIPTS = {"msub", "msup", "msubsup", "munder"}
_ROWS = {"math", "mrow", "mstyle", "mtd"}


def formula(latex: str, display: str = "inline") -> str:
    r"""LaTeX as MathML, ``inline`` or as a ``block``.

    >>> "<munder><mo" in formula(r"\min_x f(x)", "block")
    True
    """
    from latex2mathml.converter import convert_to_element

    math = convert_to_element(latex.strip(), display=display)
    for element in math.iter():
        element.text = unescape(element.text or "").removeprefix("\\")  # "\arg" comes as it is
    for element in list(math.iter()):
        _set_limits(element)
        _set_spaces(element)
    return ElementTree.tostring(math, encoding="unicode", short_empty_elements=False)


def _set_limits(element: ElementTree.Element) -> None:
    """Put what a minimum is over below it, and beside it within a line of text."""
    if element.tag == "msub" and element[0].text in _WITH_LIMITS:
        element.tag = "munder"
        element[0].tag = "mo"
        element[0].set("movablelimits", "true")


def _set_spaces(parent: ElementTree.Element) -> None:
    """Part the name of a function from what is beside it, unless a bracket or a sign does."""
    if parent.tag not in _ROWS:
        return
    for place in reversed(range(1, len(parent))):
        sides = [_core(parent[place - 1]), _core(parent[place])]
        named = [side.text in _NAMES for side in sides]
        if any(named) and not any(
            side.tag == "mo" for side, name in zip(sides, named, strict=True) if not name
        ):
            parent.insert(place, ElementTree.Element("mspace", width="0.17em"))


def _core(element: ElementTree.Element) -> ElementTree.Element:
    """What carries indices, or what a group begins with; else the element itself."""
    return element[0] if element.tag in {*_SCRIPTS, "mrow"} and len(element) else element


def joined(html: str) -> str:
    """Keep a formula within a line of text and the full stop or comma behind it together."""
    found = r'<math [^>]*display="inline"[^>]*>(?:(?!</math>).)*</math>[.,;:!?)]+'
    return re.sub(found, r'<span class="joined">\g<0></span>', html, flags=re.DOTALL)


@cache
def formula_style() -> str:
    """A style sheet with the font itself, for pages that have formulas and no network."""
    font = resources.files("minority_reports.report") / "pages" / "fonts" / FONT
    data = b64encode(font.read_bytes()).decode()
    return (
        '@font-face { font-family: "STIX Two Math"; '
        f"src: url(data:font/woff;base64,{data}) format('woff'); }}\n"
        'math { font-family: "STIX Two Math", math; font-size: 1.08em; }'
    )
