"""What is long is folded in notebooks and on pages: one line that a reader opens."""

import base64
import html


def details(title: str, inside: str) -> str:
    """HTML behind a line that opens it."""
    return f"<details><summary>{html.escape(title, quote=False)}</summary>\n{inside}\n</details>"


class Folded:
    """Tables, pictures and text behind one line, in JupyterLab and on pages.

    Parameters
    ----------
    title : str
        The line.
    *shown
        What it opens: what shows itself as HTML, pictures, or text.
    """

    def __init__(self, title: str, *shown):
        self.title = title
        self.shown = shown

    def __repr__(self) -> str:
        return "\n".join([self.title, *map(str, self.shown)])

    def _repr_html_(self) -> str:
        return details(self.title, "\n".join(map(_as_html, self.shown)))


def _as_html(shown) -> str:
    """As the front end would draw it; text as it is."""
    if hasattr(shown, "_repr_html_"):
        return shown._repr_html_()
    if hasattr(shown, "_repr_png_"):
        png, looks = shown._repr_png_()
        source = base64.b64encode(png).decode()
        return (
            f'<img src="data:image/png;base64,{source}" width="{looks["width"]}" '
            f'alt="{html.escape(looks["alt"])}">'
        )
    return f"<pre>{html.escape(str(shown), quote=False)}</pre>"
