"""Text and documents for LaTeX."""

import re
import shutil
import subprocess
import tempfile
import unicodedata
from pathlib import Path

#: What stands for itself in a text and means something else to TeX.
_SPECIAL = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    "−": "$-$",
    "×": r"$\times$",
    "±": r"$\pm$",
    "·": r"$\cdot$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "≠": r"$\neq$",
    "≈": r"$\approx$",
    "→": r"$\to$",
    "∞": r"$\infty$",
    "…": r"\ldots{}",
    "–": "--",
    "—": "---",
    "“": "``",
    "”": "''",
    "‘": "`",
    "’": "'",
    "†": r"\textdagger{}",
    "ε": r"$\varepsilon$",
    "\u00a0": "~",
}
_GREEK = (
    "alpha beta gamma delta zeta eta theta kappa lambda mu nu xi pi rho sigma tau phi chi psi omega"
)
_SPECIAL |= {
    unicodedata.lookup(f"GREEK SMALL LETTER {'LAMDA' if n == 'lambda' else n.upper()}"): f"$\\{n}$"
    for n in _GREEK.split()
}


def tex(text: str) -> str:
    """Text as LaTeX prints it: what it has no sign for becomes a question mark.

    >>> tex("50 % of R_l, −0.2")
    '50 \\\\% of R\\\\_l, $-$0.2'
    """
    return "".join(_SPECIAL.get(sign) or _plain(sign) for sign in text)


def _plain(sign: str) -> str:
    """Letters of European languages as they are; of others what is known without their marks."""
    if ord(sign) < 0x180:
        return sign
    bare = unicodedata.normalize("NFKD", sign).encode("ascii", "ignore").decode()
    return bare or "?"


def compile_pdf(source: str, file: Path) -> Path | None:
    """Write a LaTeX document as a PDF; nothing where there is no LaTeX.

    Raises
    ------
    ValueError
        With the first error that LaTeX found.
    """
    program = shutil.which("pdflatex")
    if program is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "a.tex").write_text(source, encoding="utf-8")
        # nothing that a document says is run, and nothing outside is written
        command = [program, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "a"]
        for _ in range(2):
            done = subprocess.run(
                command, cwd=folder, capture_output=True, text=True, errors="replace"
            )
            if done.returncode:
                error = re.search(r"^!.*(?:\n.*){0,4}", done.stdout, re.MULTILINE)
                raise ValueError(
                    f"LaTeX refuses {file.name}: {error[0] if error else done.stdout[-500:]}"
                )
        shutil.move(Path(folder) / "a.pdf", file)
    return file
