"""What the paper leaves open, as other readings of its Table 3."""

from minority_reports.papers.rlsd.protocol import TABLE3_LEVELS
from minority_reports.report import instead

#: The threshold of ChiMerge, which the paper does not state: ours is that of level 0.05.
READINGS = {
    name.replace("=", " "): instead("table3", {"rlsd": name}, source="table3-levels")
    for name in TABLE3_LEVELS.methods
}
