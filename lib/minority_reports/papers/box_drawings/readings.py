"""What Box Drawings leaves open, or its code does otherwise than its text: other readings of it."""

from minority_reports.report import instead

READINGS = {
    "the grid of β tried first": instead("table5", {"fast-boxes": "fast-boxes-first-grid"}),
    "boxes as released": instead("table5", {"fast-boxes": "fast-boxes-released"}),
}
