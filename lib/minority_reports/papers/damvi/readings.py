"""Other readings of the paper, by which the verdicts on its main table are judged again."""

from minority_reports.report import instead

#: What the released code does otherwise, and what the published values of R-BG look like.
READINGS = {
    "DAMVI as released": instead("table23", {"damvi": "released"}, source="released"),
    "R-BG on full bags": instead("table23", {"r-bg": "r-bg-full"}),
}
