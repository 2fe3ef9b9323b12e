"""What the sampling wrapper's paper leaves open, and which readings of it are planned.

The three choices about the search are crossed, the two about data sets are alone. Under any gain
alone all searches follow the reading; under the others those by F and by AUROC do, and the
searches with costs stay as printed. All readings are of the first run of ten folds.
"""

from minority_reports.papers.sampling_wrapper.readings_protocol import AHEAD, GAIN, RESET
from minority_reports.report import Choice, Level, Readings, factorial, one_at_a_time

_SEARCH = (GAIN, RESET, AHEAD)
_DATA = (
    Choice(
        "Mammography",
        "Are rows that are there several times kept?",
        (
            Level(
                "all rows",
                "“11,183 total examples with 260 calcifications”, section 3: all are counted",
            ),
            Level("distinct rows", "3,334 rows repeat another one", seen=True),
        ),
        datasets=("mammography",),
    ),
    Choice(
        "Oil",
        "Is the patch number an attribute?",
        (
            Level("with patch number", "Table 1 counts 49 features, so with it"),
            Level("without patch number", "it names the image and says nothing of oil", seen=True),
        ),
        datasets=("oil",),
    ),
)
#: Experiments that are older than their choice.
_WHERE = {
    "any-gain": "gain=any",
    "distinct": "Mammography=distinct rows",
    "oil": "Oil=without patch number",
}

READINGS = Readings(
    choices=(*_SEARCH, *_DATA),
    # the recommended wrapper against learning with costs; that sampling helps, more with RIPPER,
    # and always in AUROC; and over all costs at once
    claims=tuple(f"sampling_wrapper-{number}" for number in ("01", "13", "14", "15", "41")),
    sources=dict.fromkeys(["readings", *_WHERE], "main"),
    combinations=(*factorial(_SEARCH), *one_at_a_time(_DATA)),
    renamed={
        source: {name: f"{name}:{levels}" for name in ("c45", "ripper")}
        for source, levels in _WHERE.items()
    },
)
