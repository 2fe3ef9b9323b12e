"""The user's own files: what is read, what is refused and why, what is pointed out."""

import datetime
import decimal
import gzip
import os

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minority_reports import paths
from minority_reports.datasets import ColumnTypes, examine, file_name, load, load_file, own
from minority_reports.datasets.dataset import tidy

LABELS = ["no", "no", "no", "yes", "yes"]


@pytest.fixture
def write(tmp_path):
    def write(_name="mine.csv", **columns):
        path = tmp_path / _name
        table = pd.DataFrame(columns)
        if _name.endswith(".parquet"):
            pytest.importorskip("pyarrow")
            table.to_parquet(path)
        else:
            compression = "gzip" if _name.lower().endswith(".gz") else None
            table.to_csv(
                path,
                index=False,
                compression=compression,
                sep="\t" if ".tsv" in _name.lower() else ",",
            )
        return path

    return write


ENDINGS = ["mine.csv", "mine.csv.gz", "mine.tsv", "MINE.TSV.GZ", "mine.parquet"]


@pytest.mark.parametrize("name", ENDINGS)
def test_kinds_of_columns(write, name):
    path = write(
        name,
        size=[1, 2, 3, 4, 5],
        weight=[0.5, None, 1.5, 2.5, 1 / 3],
        colour=["red", None, "blue", "red", "red"],
        fresh=[True, False, True, True, False],
        checked=[True, None, False, True, True],
        empty=[None] * 5,
        sold=LABELS,
    )
    data = load_file(path, "sold")
    assert data.name.lower() == "mine" == file_name(path).lower()
    assert (data.n, data.d, data.positives, data.facts.imbalance) == (5, 6, 2, 1.5)
    assert list(data.y) == [0, 0, 0, 1, 1] and data.y.dtype == np.int64
    assert {name: str(dtype) for name, dtype in data.X.dtypes.items()} == {
        "size": "float64",
        "weight": "float64",
        "colour": "category",
        "fresh": "category",
        "checked": "category",
        "empty": "float64",
    }
    assert list(data.X["checked"].cat.categories) == ["False", "True"]
    assert data.X.isna().sum().to_dict()["colour"] == 1
    assert data.X["weight"].iloc[4] == 1 / 3
    assert data.facts.source == name.lower().split(".")[1]
    assert (data.facts.target, data.facts.origin) == ("sold=yes", name)


def test_the_format_does_not_change_the_content(write):
    columns = {"x": [0.1, None, 1 / 3, 1e300, 5e-324], "c": list("abcab"), "y": LABELS}
    hashes = {load_file(write(name, **columns), "y").facts.sha256 for name in ENDINGS}
    assert len(hashes) == 1


def test_decimals_are_kept_to_the_last_bit(write, tmp_path):
    numbers = np.random.default_rng(0).normal(size=200) * 10.0 ** np.arange(-100, 100)
    data = load_file(write(x=numbers, y=LABELS * 40), "y")
    np.testing.assert_array_equal(data.X["x"], numbers)


def test_nullable_frames_become_plain():
    table = pd.DataFrame({"i": [1, None], "b": [True, None], "s": ["a", None]}).convert_dtypes()
    assert [str(dtype) for dtype in tidy(table).dtypes] == ["float64", "float64", "category"]
    assert tidy(table).iloc[1].isna().all()


def test_types_of_parquet(write):
    days = [datetime.date(2020, 1, 1) + datetime.timedelta(k) for k in range(50)]
    path = write(
        "mine.parquet",
        price=[decimal.Decimal("0.25")] * 49 + [None],
        nullable=pd.array([None, *range(49)], dtype="Int16"),
        flag=pd.array([None] + [True, False] * 24 + [True], dtype="boolean"),
        code=pd.Categorical(["a", "b"] * 25, categories=list("abc")),
        day=days,
        stamp=pd.to_datetime(days).tz_localize("Europe/Berlin"),
        span=pd.to_timedelta([36] * 50, unit="h"),
        y=LABELS * 10,
    )
    X = load_file(path, "y").X
    assert X.attrs["dates"] == ["day", "stamp"]
    kinds = {name: str(dtype) for name, dtype in X.dtypes.items()}
    assert {name for name, kind in kinds.items() if kind == "category"} == {"flag", "code"}
    assert list(X["code"].cat.categories) == ["a", "b"]
    assert X["price"].iloc[0] == 0.25 and X["span"].iloc[0] == 1.5
    assert X["day"].iloc[0] == 18262 and X["stamp"].iloc[0] == 18262 - 1 / 24


def test_index_of_a_parquet_file(write, tmp_path):
    pytest.importorskip("pyarrow")
    table = pd.DataFrame({"x": range(5), "y": LABELS}, index=list("abcde"))
    table.to_parquet(tmp_path / "a.parquet")
    table.rename_axis("letter").to_parquet(tmp_path / "b.parquet")
    assert list(load_file(tmp_path / "a.parquet", "y").X) == ["x"]
    assert list(load_file(tmp_path / "b.parquet", "y").X) == ["letter", "x"]


def test_dates(write):
    many = pd.date_range("2020-01-01", periods=50).strftime("%Y-%m-%d").tolist()
    data = load_file(
        write(
            many=[None, *many[1:]],
            times=[f"{day}T06:00:00Z" for day in many],
            few=many[:5] * 10,
            nearly=[*many[:49], "tomorrow"],
            y=LABELS * 10,
        ),
        "y",
    )
    assert data.X["many"].isna().sum() == 1 and data.X["many"].iloc[1] == 18263
    assert data.X["times"].iloc[0] == 18262.25
    assert [str(data.X[name].dtype) for name in ("few", "nearly")] == ["category"] * 2
    frame = examine(data)
    assert list(frame["kind"]) == ["date", "date", "category", "category"]
    assert frame["remark"]["many"] == "as days since 1970-01-01"
    note = "it stays text, as 'tomorrow' is not one of the dates that most are: leave such"
    assert frame["note"]["nearly"].startswith(note)
    assert (frame["note"].drop("nearly") == "").all()


MANY_DAYS = pd.date_range("2011-12-01", periods=100)


@pytest.mark.parametrize(
    "form",
    [
        "%Y/%m/%d",
        "%d.%m.%Y",
        "%m/%d/%Y",
        "%d/%m/%Y",
        "%d-%m-%Y",
        "%d %b %Y",
        "%B %d, %Y",
        "%m/%d/%Y %H:%M",
        "%d.%m.%Y %H:%M:%S",
        "%m/%d/%Y %I:%M %p",
    ],
)
def test_dates_in_other_forms(write, form):
    text = [None, *MANY_DAYS[1:].strftime(form)]
    data = load_file(write(when=text, y=LABELS * 20), "y")
    days = (MANY_DAYS - pd.Timestamp(0)).days
    np.testing.assert_array_equal(data.X["when"], [np.nan, *days[1:]])
    frame = examine(data)
    assert frame["kind"]["when"] == "date" and data.X.attrs["dates"] == ["when"]
    assert "is read as 201" in frame["note"]["when"] and "might" not in frame["note"]["when"]


@pytest.mark.parametrize("form", ["%m/%d/%Y", "%d/%m/%Y"])
def test_day_and_month_that_no_value_tells_apart(write, form):
    days = [pd.Timestamp(y, m, d) for y in (2000, 2001) for m in range(1, 11) for d in range(1, 6)]
    data = load_file(write(when=[day.strftime(form) for day in days], y=LABELS * 20), "y")
    note = examine(data)["note"]["when"]
    assert "and no value of the column tells: if that is wrong, write the dates as in" in note
    found = pd.Timestamp(0) + pd.to_timedelta(data.X["when"], unit="D")
    expected = pd.to_datetime([day.strftime(form) for day in days], format="%m/%d/%Y")
    assert list(found) == list(expected), "with slashes the month is first"


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["€1,234.00", "€5.50", None], [1234, 5.5, np.nan]),
        (["$1,234.50", "-$0.50", "$-3"], [1234.5, -0.5, -3]),
        (["1.234,00 €", "17,5 €", "-1.000.000,25 €"], [1234, 17.5, -1000000.25]),
        (["1,5", "2,75", "-0,125"], [1.5, 2.75, -0.125]),
        (["1 234 567,5", "3", "4"], [1234567.5, 3, 4]),
        (["12.5 %", "3%", "0%"], [12.5, 3, 0]),
        (["1,234", "12", "123"], [1234, 12, 123]),
        (["1.234 €", "1.500 €", "12 €"], [1234, 1500, 12]),
        (["0.125 €", "1.500 €", "12 €"], [0.125, 1.5, 12]),
        (["EUR 12", "EUR 1'200.50", "EUR 3"], [12, 1200.5, 3]),
        (["−3", "+4", "2"], [-3, 4, 2]),
    ],
)
def test_numbers_written_as_text(write, texts, numbers):
    data = load_file(write(price=texts * 10, y=LABELS * 6), "y")
    np.testing.assert_array_equal(data.X["price"], numbers * 10)
    frame = examine(data)
    assert frame["kind"]["price"] == "number" and "is read as" in frame["note"]["price"]


def test_money_is_no_id_and_what_is_guessed_is_said(write):
    sums = [f"€{k:,}.00" for k in range(1000, 1050)]
    frame = examine(load_file(write(price=sums, y=LABELS * 10), "y"))
    assert frame["kind"]["price"] == "number" and frame["remark"]["price"] == ""
    assert frame["note"]["price"] == "'€1,000.00' is read as 1000"
    sums = [f"{k:,}" for k in range(1000, 1050)]
    frame = examine(load_file(write(price=sums, y=LABELS * 10), "y"))
    assert frame["note"]["price"].startswith("'1,000' is read as 1000, as it might be 1 and no")


@pytest.mark.parametrize(
    "texts",
    [
        ["€5", "$5", "€6"],  # two currencies
        ["1,234.5", "1.234,5", "7"],  # two ways to write
        ["1.2.3", "1.2.4", "1.3.0"],
        ["12:30", "13:45", "01:10"],
        ["2024-13-45", "2024-12-31", "2024-12-30"],
        ["1,23", "12,345,6", "3"],
        ["A1", "B2", "C3"],
        ["+", "-", "+"],
    ],
)
def test_texts_that_are_not_numbers_or_dates_in_every_row(write, texts):
    data = load_file(write(it=texts * 10, y=LABELS * 6), "y")
    assert list(data.X["it"].astype(object)) == texts * 10


@pytest.mark.parametrize("dtype", [str, "category"])
def test_codes_that_are_kept_as_text_stay_text(write, dtype):
    codes = pd.Series(["007", "012", "7", "12", "007"]).astype(dtype)
    data = load_file(write("mine.parquet", code=codes, y=LABELS), "y")
    assert list(data.X["code"]) == ["007", "012", "7", "12", "007"]


# Other rows are read in the same way, however pandas reads them.


def everything(n=100):
    """A table with a column of every kind, and with gaps."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "number": rng.normal(size=n),
            "whole": rng.integers(0, 9, n).astype(object),
            "flag": rng.random(n) < 0.5,
            "maybe": rng.choice(np.array([True, False, None], dtype=object), n),
            "when": pd.date_range("2020-01-01", periods=n).strftime("%Y-%m-%d"),
            "slashes": pd.date_range("2020-01-01", periods=n).strftime("%m/%d/%Y"),
            "quarter": rng.choice(["2020-01-01", "2020-04-01"], n),
            "price": [f"€{1000 + k * 7:,}.00" for k in range(n)],
            "code": rng.choice(["1", "2", "5.50", "x"], n),
            "colour": rng.choice(["red", "blue", "green"], n),
            "empty": np.nan,
        }
    )
    for name in ("number", "whole", "when", "price", "code", "colour"):
        table.loc[rng.random(n) < 0.1, name] = None
    return table


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet"])
def test_rows_are_read_alike_alone_and_together(write, tmp_path, ending):
    table = everything().assign(y=LABELS * 20)
    path = write(f"mine.{ending}", **table)
    X = load_file(path, "y").X
    read = {"csv": pd.read_csv, "tsv": pd.read_table, "parquet": pd.read_parquet}[ending]
    types = ColumnTypes().fit(read(path).drop(columns="y"))
    pd.testing.assert_frame_equal(types.transform(read(path)), X)
    rng = np.random.default_rng(1)
    parts = [[k] for k in range(len(X))] + [rng.choice(100, 7, replace=False) for _ in range(20)]
    for rows in parts:
        part = write(f"part.{ending}", **table.iloc[rows].drop(columns="y"))
        found = types.transform(read(part)[::-1])[::-1].reset_index(drop=True)
        pd.testing.assert_frame_equal(
            found.astype(object), X.iloc[rows].reset_index(drop=True).astype(object)
        )


@pytest.mark.parametrize("words", [("TRUE", "FALSE"), ("true", "false"), ("True", "False")])
def test_a_boolean_is_called_alike_whether_or_not_another_row_has_a_text(words):
    """Where a column has nothing else, pandas reads these words as booleans."""
    yes, no = words
    mixed, alone = pd.Series([yes, no, "maybe"]), pd.Series([True, False])
    for first, other in [(mixed, alone), (alone, mixed), (mixed, alone.astype(object))]:
        types = ColumnTypes().fit(pd.DataFrame({"c": first}))
        told = types.transform(pd.DataFrame({"c": first}))["c"]
        read = types.transform(pd.DataFrame({"c": other}))["c"]
        assert read.tolist()[:2] == told.tolist()[:2]


def test_unknown_categories_are_kept_and_missing_ones_stay_missing():
    types = ColumnTypes().fit(pd.DataFrame({"c": ["a", "b", None]}))
    found = types.transform(pd.DataFrame({"c": ["d", None, "b"], "more": 1}))
    assert list(found) == ["c"] and list(found["c"].isna()) == [False, True, False]
    assert list(found["c"].cat.categories) == ["a", "b", "d"]


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("number", "much", "column 'number' has 'much', which is no number, unlike the rows"),
        ("price", "€1,2", "column 'price' has '€1,2', which is no number"),
        ("when", "soon", "column 'when' has 'soon', which is no date"),
        ("slashes", "31/12/2024", "has '31/12/2024', which is no date in the form %m/%d/%Y"),
        ("slashes", 17.5, "has '17.5', which is no date"),
    ],
)
def test_values_of_another_kind_are_refused(name, value, message):
    types = ColumnTypes().fit(everything())
    with pytest.raises(ValueError, match=message):
        types.transform(everything().astype({name: object}).assign(**{name: value}))


def test_a_table_without_a_column_is_refused():
    types = ColumnTypes().fit(everything())
    with pytest.raises(ValueError, match="the table has no column 'when', 'price'"):
        types.transform(everything().drop(columns=["when", "price"]))
    with pytest.raises(TypeError, match="a pandas DataFrame is needed, not ndarray"):
        types.transform(np.zeros((2, 2)))


@pytest.mark.parametrize("positive", [1, "1", True])
def test_positive_label_may_be_the_majority_and_may_be_text(write, positive):
    data = load_file(write(x=range(5), y=[1, 1, 1, 0, 0]), "y", positive=positive)
    assert list(data.y) == [1, 1, 1, 0, 0]


def test_boolean_target(write):
    path = write(x=range(5), y=[False, True, False, True, False])
    assert list(load_file(path, "y").y) == [0, 1, 0, 1, 0]
    assert list(load_file(path, "y", positive="False").y) == [1, 0, 1, 0, 1]


def test_column_called_y_among_the_features(write):
    data = load_file(write(y=[1, 1, 1, 2, 2], target=LABELS), "target")
    assert data.facts.repeated_rows == 3 and list(data.X.columns) == ["y"]


def test_bundled_example_is_the_registered_data_set():
    own = load_file(paths.bundled() / "example_imbalanced.csv", target="outcome")
    assert own.facts.sha256 == load("example_imbalanced").facts.sha256


# What is refused: every message names the cause and the way out.


@pytest.mark.parametrize(
    ("target", "labels", "options", "message"),
    [
        ("outcom", LABELS, {}, r"no column 'outcom'; did you mean one of \['outcome'\]"),
        ("qqq", LABELS, {}, r"did you mean one of \['x', 'outcome'\]"),
        ("outcome", ["a"] * 5, {}, "must have two values, it has 1: 'a'; choose another"),
        ("outcome", list("abcca"), {}, r"3 classes: 'a' \(2 rows\), .*'b' \(1 row\); say which of"),
        ("outcome", list("abcaa"), {"positive": "b"}, "single row of 'b'; at least two"),
        ("outcome", list("aaaab"), {"positive": "a"}, "single row of 'another value'; at least"),
        ("outcome", ["a", None, "b", "b", "a"], {}, "has 1 missing values; fill them in or drop"),
        ("outcome", list("abbbb"), {}, "single row of 'a'; at least two of each"),
        ("outcome", LABELS, {"positive": "c"}, "no value 'c', only 'no', 'yes'"),
    ],
)
def test_bad_targets(write, target, labels, options, message):
    with pytest.raises(ValueError, match=message):
        load_file(write(x=range(5), outcome=labels), target, **options)


def test_of_several_classes_one_is_positive_against_the_rest(write):
    path = write(x=range(7), y=list("abcabca"))
    data = load_file(path, "y", positive="c")
    assert list(data.y) == [0, 0, 1, 0, 0, 1, 0]
    assert data.facts.target == "y=c"
    with pytest.raises(ValueError, match="has no value 'd', only 'a', 'b', 'c'"):
        load_file(path, "y", positive="d")
    numbers = load_file(write(x=range(7), y=[3, 1, 2, 3, 1, 2, 3]), "y", positive="2")
    assert list(numbers.y) == [0, 0, 1, 0, 0, 1, 0]


def test_tie_asks_for_the_positive_label(write):
    path = write(x=range(4), y=list("aabb"))
    with pytest.raises(ValueError, match="2 rows of each value; say which"):
        load_file(path, "y")
    assert load_file(path, "y", positive="b").positives == 2


def test_target_alone_is_no_table(write):
    with pytest.raises(ValueError, match="no column besides the target 'y'"):
        load_file(write(y=LABELS), "y")


CSV = b"x,y\n" + b"1,a\n2,b\n" * 20
BAD_FILES = [
    ("a.csv", b"\x89PNG\r\n\x1a\n\0\0", "is a PNG image, not what the ending .csv says; save"),
    ("a.parquet", CSV, "is text, not what the ending .parquet says; rename it to end in .csv"),
    ("a.csv", gzip.compress(CSV, mtime=0), "is a gzip archive, .*rename it to end in .csv.gz"),
    ("a.csv.gz", CSV, "is text, not what the ending .csv.gz says; rename"),
    ("a.tsv", b"PAR1....PAR1", "is a parquet file, .*rename it to end in .parquet"),
    ("a.csv", b"", "is empty; give a file with a header and rows"),
    ("a.parquet", b"", "is empty"),
    ("a.csv", b"\n \n", "is empty"),
    ("a.csv", b"x,y\n", "a header but no rows"),
    ("a.csv", bytes(range(1, 256)) * 9 + b"\0", "is binary data"),
    ("a.csv", "x,y\n1,é\n2,b\n".encode("latin-1"), "not UTF-8 text .*iconv -f latin1 -t utf-8"),
    ("a.csv", "x,y\n1,a\n".encode("utf-16"), "is text in UTF-16, .*iconv -f utf-16"),
    ("a.csv", b"<!DOCTYPE HTML><p>Not found", "is a web page"),
    ("a.csv", b"PK\x03\x04rest", "zip archive .as are Excel workbooks.*save the table as one of"),
    ("a.csv", CSV.replace(b",", b";"), "separated by ';': save it with commas"),
    ("a.csv", b"x;y\n1,5;a\n2,5;b\n", "separated by ';': save it with commas .and decimal points"),
    ("a.csv", CSV + b"1,2,3,4\n", "cannot be read as .csv: .*Expected 2 fields in line 42, saw 4"),
    ("a.csv", b"x,y\n1,2,3\n4,5,6\n", "Length of header .* does not match length of data"),
    ("a.csv.gz", gzip.compress(CSV, mtime=0)[:-9], "cannot be read as .csv.gz"),
    ("a.xlsx", CSV, "does not end in .csv, .csv.gz, .tsv, .tsv.gz, .parquet; save"),
    (".csv", CSV, "does not end in"),
]


@pytest.mark.parametrize(("name", "content", "message"), BAD_FILES)
def test_bad_files(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message) as error:
        load_file(path, "y")
    assert str(path) in str(error.value)


def test_damaged_parquet(write):
    path = write("mine.parquet", x=range(5), y=LABELS)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(ValueError, match=r"cannot be read as .parquet"):
        load_file(path, "y")


def test_values_that_are_lists(write):
    path = write("mine.parquet", x=[[1], [2], [1], [1], [1]], y=LABELS)
    with pytest.raises(ValueError, match=r"column 'x' .*; keep numbers, text, booleans and dates"):
        load_file(path, "y")
    with pytest.raises(ValueError, match=r"column 'x' .* holds lists or tables"):
        load_file(path, "x")


def test_parquet_needs_pyarrow(tmp_path, monkeypatch):
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    monkeypatch.setattr(own.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match="pip install pyarrow"):
        load_file(tmp_path / "a.parquet", "y")


def test_no_file(tmp_path, write):
    write("mine.csv", x=[1])
    with pytest.raises(FileNotFoundError, match=r"no file .*mime\.csv; did you mean .*mine\.csv"):
        load_file(tmp_path / "mime.csv", "y")
    with pytest.raises(FileNotFoundError, match="no file"):
        load_file(tmp_path / "absent" / "a.csv", "y")
    with pytest.raises(IsADirectoryError, match="is a directory; give the path of a file"):
        load_file(tmp_path, "y")


def test_file_that_may_not_be_read(write, monkeypatch):
    path = write(x=range(5), y=LABELS)
    path.chmod(0)
    if os.access(path, os.R_OK):  # as the superuser everything may be read

        def refuse(*args):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(own, "open", refuse, raising=False)
    with pytest.raises(PermissionError, match=r"may not be read; .*chmod"):
        load_file(path, "y")


csv_like = st.text(alphabet='xy,;\t\n\r"01.5-eéñ \0', max_size=60).map(str.encode)
beginnings = st.sampled_from([b"", b"x,y\n", b"PAR1", b"\x1f\x8b", b"\xef\xbb\xbf", b"\xff\xfe"])
contents = st.one_of(
    st.builds(bytes.__add__, beginnings, st.binary(max_size=200)),
    csv_like,
    csv_like.map(gzip.compress),
)


@settings(
    max_examples=int(os.environ.get("MINORITY_FUZZ_EXAMPLES", 150)),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(contents, st.sampled_from([*own.ENDINGS, ".txt", ""]))
def test_any_bytes_are_a_data_set_or_a_clear_error(tmp_path, content, ending):
    path = tmp_path / f"fuzz{ending}"
    path.write_bytes(content)
    try:
        data = load_file(path, "y")
    except ImportError:
        assert ending == ".parquet"
    except ValueError as error:
        assert str(path) in str(error)
    else:
        assert len(examine(data)) == data.d


# What is pointed out.


def examined(**columns):
    rng = np.random.default_rng(0)
    y = np.arange(2000) % 20 == 0
    table = {name: make(y, rng) for name, make in columns.items()}
    return pd.DataFrame(table).assign(label=np.where(y, "ill", "well"))


def half_missing(y, rng):
    return np.where(rng.random(len(y)) < 0.6, np.nan, rng.normal(size=len(y)))


@pytest.mark.parametrize(
    ("make", "kind", "remark"),
    [
        (lambda y, rng: rng.normal(size=len(y)), "number", ""),
        (lambda y, rng: rng.integers(0, 5, len(y)), "number", ""),
        (lambda y, rng: rng.choice(["a", "b"], len(y)), "category", ""),
        (lambda y, rng: rng.permutation(len(y)), "id", "looks like an id"),
        (lambda y, rng: [f"u{k}" for k in range(len(y))], "id", "different in every row"),
        (lambda y, rng: np.full(len(y), 3.0), "constant", "constant"),
        (lambda y, rng: np.full(len(y), np.nan), "constant", "nothing but missing values"),
        (lambda y, rng: y, "copy of the target", "equal to the target"),
        (lambda y, rng: np.where(y, 0.0, 7.0), "copy of the target", "equal to the target"),
        (lambda y, rng: 2 * rng.integers(0, 3, len(y)) + y, "number", "determines the target"),
        (lambda y, rng: np.where(y, "seen", None), "category", "determines the target; more than"),
        (lambda y, rng: y ^ (np.arange(len(y)) == 7), "category", "near-copy: .* 99.95 % of rows"),
        (lambda y, rng: np.arange(len(y)) == 7, "category", ""),  # as rare as an error, not a copy
        (half_missing, "number", "more than 50 % missing"),
        (lambda y, rng: np.where(y, np.inf, rng.normal(size=len(y))), "number", "infinite"),
    ],
)
def test_examine(tmp_path, make, kind, remark):
    table = examined(it=make)
    table.to_csv(tmp_path / "mine.csv", index=False)
    frame = examine(load_file(tmp_path / "mine.csv", "label"))
    assert list(frame.columns) == ["kind", "distinct", "missing", "remark", "note"]
    assert frame["kind"]["it"] == kind
    pd.testing.assert_series_equal(
        frame["remark"].str.contains(remark or "^$"), pd.Series({"it": True}), check_names=False
    )
    assert frame["distinct"]["it"] == table["it"].nunique()
    assert frame["missing"]["it"] == table["it"].isna().mean()
    assert frame.attrs["repeated_rows"] == table.duplicated().sum()


def test_examine_registered_data():
    frame = examine(load("glass2"))
    assert set(frame["kind"]) == {"number"} and (frame["remark"] == "").all()
