"""Archives at addresses, where the package is built with access to them."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import pytest

import sitegrove
from sitegrove import steps
from conftest import CRAWL, NO_ADDRESSES, Servers


def _urls(address: str) -> list[str]:
    return [page.url for page in sitegrove.read_warc(address)]


def test_a_forked_child_reads_addresses(servers: Servers | None) -> None:
    if servers is None:
        pytest.skip(NO_ADDRESSES)
    servers.hdfs.put(CRAWL, "/forked")
    address = f"{servers.hdfs.address}/forked/{CRAWL[0].name}"
    expected = _urls(str(CRAWL[0]))
    # The parent has threads for requests, which no child has.
    assert _urls(address) == expected
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.map_async(_urls, [address]).get(timeout=60) == [expected]


def test_a_folder_of_hdfs_is_read_as_one_of_files(servers: Servers | None, tmp_path: Path) -> None:
    if servers is None:
        pytest.skip(NO_ADDRESSES)
    servers.hdfs.put(CRAWL, "/some folder")
    expected = sitegrove.run(CRAWL, tmp_path / "files").counts
    address = servers.hdfs.address
    for number, given in enumerate(["/some folder/", "/some*/sample-?.warc.gz", "/*/sample-1.warc.gz"]):
        counts = sitegrove.run([f"{address}{given}"], tmp_path / str(number)).counts
        assert (counts == expected) == (number < 2) and counts["articles"] > 0
    with pytest.raises(sitegrove.InputError, match=f"{address}/none.warc.gz"):
        sitegrove.read_warc(f"{address}/none.warc.gz")


def test_results_are_written_to_a_bucket(servers: Servers | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if servers is None:
        pytest.skip(NO_ADDRESSES)
    bucket = servers.make_bucket("results", monkeypatch)
    whole = sitegrove.run(CRAWL, tmp_path / "whole")
    result = sitegrove.run(CRAWL, f"{bucket}/tonight")
    assert result.counts == whole.counts and result.place == f"{bucket}/tonight"
    with pytest.raises(sitegrove.InputError, match=f"{bucket}/tonight: results at an address"):
        result.articles()

    survey, learnt = f"{bucket}/steps/survey.parquet", f"{bucket}/steps/learn.parquet"
    steps.survey(CRAWL, survey)
    steps.learn([survey], learnt)
    merged = steps.merge([survey, learnt], f"{bucket}/merged")
    assert merged.counts == whole.counts
    with pytest.raises(sitegrove.SitegroveError, match="contains a run"):
        steps.merge([survey, learnt], f"{bucket}/merged")
    assert steps.merge([f"{bucket}/steps/"], f"{bucket}/merged", overwrite=True).counts == whole.counts
