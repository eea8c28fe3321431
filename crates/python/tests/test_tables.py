"""Arrow tables in and out, with the libraries that people use."""

from __future__ import annotations

from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sitegrove
from conftest import CRAWL
from sitegrove import Page, SiteModel


@pytest.fixture(scope="module")
def table(gazette: list[Page]) -> pa.Table:
    return pa.table({"url": [page.url for page in gazette], "html": [page.html for page in gazette]})


@pytest.fixture(scope="module")
def expected(model: SiteModel, gazette: list[Page]) -> list[tuple[str, str | None, str | None]]:
    outcomes = [model.apply(page.html, page.url).to_dict() for page in gazette]
    return [(outcome["url"], outcome.get("text"), outcome.get("reason")) for outcome in outcomes]


def rows(result: Any) -> list[tuple[str, str | None, str | None]]:
    columns = result.select(["url", "text", "reason"]).to_pydict()
    return list(zip(columns["url"], columns["text"], columns["reason"], strict=True))


def test_pyarrow(model: SiteModel, table: pa.Table, expected: list[Any]) -> None:
    assert sitegrove.learn(table) == model
    for pages in (table, table.to_reader(max_chunksize=5), table.combine_chunks().to_batches()[0]):
        assert rows(pa.table(model.apply_table(pages))) == expected
    assert rows(pa.table(model.apply_table(table, threads=2))) == expected
    for kind in (pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary()):
        cast = table.set_column(1, "html", table["html"].cast(kind))
        assert rows(pa.table(model.apply_table(cast))) == expected
    batches = [pa.record_batch(batch) for batch in model.apply_table(table)]
    assert rows(pa.Table.from_batches(batches)) == expected


def test_polars(model: SiteModel, table: pa.Table, expected: list[Any]) -> None:
    pages = pl.from_arrow(table)
    assert isinstance(pages, pl.DataFrame) and sitegrove.learn(pages) == model
    articles = pl.DataFrame(model.apply_table(pages))
    assert articles.select("url", "text", "reason").rows() == expected
    assert articles.schema["fetched_at"] == pl.Datetime("us", "UTC")


def test_duckdb(model: SiteModel, table: pa.Table, expected: list[Any]) -> None:
    pages = duckdb.from_arrow(table).select("url", "html")
    assert sitegrove.learn(pages) == model
    articles = model.apply_table(table)
    assert duckdb.sql("SELECT url, text, reason FROM articles").fetchall() == expected


def test_pandas(model: SiteModel, table: pa.Table, expected: list[Any]) -> None:
    pages = table.to_pandas()
    assert sitegrove.learn(pages) == model
    articles = pa.table(model.apply_table(pages)).to_pandas()
    assert isinstance(articles, pd.DataFrame)
    assert articles["url"].tolist() == [url for url, _, _ in expected]
    assert articles["text"].isna().tolist() == [text is None for _, text, _ in expected]


def test_streams_are_lazy_and_read_once(model: SiteModel, table: pa.Table) -> None:
    taken = []

    def batches() -> Any:
        for batch in table.to_batches(max_chunksize=4):
            taken.append(batch)
            yield batch

    reader = model.apply_table(pa.RecordBatchReader.from_batches(table.schema, batches()))
    assert len(taken) == 0
    assert next(reader).num_rows == 4 and len(taken) == 1
    pa.table(reader)
    with pytest.raises(sitegrove.SitegroveError, match="already"):
        pa.table(reader)


def test_wrong_tables_are_named(model: SiteModel, table: pa.Table) -> None:
    with pytest.raises(sitegrove.InputError, match="no column `url`.*address"):
        model.apply_table(table.rename_columns(["address", "html"]))
    with pytest.raises(sitegrove.InputError, match="must be text"):
        model.apply_table(pa.table({"url": ["u"], "html": [1]}))
    with pytest.raises(sitegrove.InputError, match="no Arrow table"):
        model.apply_table("no table")  # type: ignore[arg-type]
    with pytest.raises(sitegrove.SitegroveError, match="2000 threads are too many: give at most 1024"):
        next(model.apply_table(table, threads=2_000))


def test_a_row_without_an_address_is_a_drop(model: SiteModel, table: pa.Table, expected: list[Any], tmp_path: Any) -> None:
    nothing = pa.table({"url": pa.array([None, ""], pa.string()), "html": ["x", "<p>" + "A bridge stays open. " * 30]})
    mixed = pa.concat_tables([nothing, table])
    sitegrove.run(CRAWL[0], tmp_path / "run", models=tmp_path / "models.sqlite")
    store = sitegrove.open_models(tmp_path / "models.sqlite")
    for found in (model.apply_table(mixed), sitegrove.extract_table(mixed), store.apply_table(mixed)):
        of = pa.table(found)
        assert of["reason"].to_pylist()[:2] == ["bad-url", "bad-url"] and of.num_rows == mixed.num_rows
    assert rows(pa.table(model.apply_table(mixed)))[2:] == expected
    assert sitegrove.learn(mixed) == model


def test_types_of_columns(model: SiteModel, table: pa.Table, expected: list[Any]) -> None:
    nulls = pa.nulls(len(table))
    empty = pa.table(model.apply_table(table.set_column(1, "html", nulls)))
    assert empty.num_rows == len(table) and set(empty["text"].to_pylist()) == {None}
    dictionary = pa.array(table["url"].to_pylist(), pa.large_string()).dictionary_encode()
    headers = pa.array([[("server", "x")]] * len(table), pa.map_(pa.string(), pa.string()))
    of = table.set_column(0, "url", dictionary).append_column("headers", headers).append_column("file", pa.array([{"a": 1}] * len(table)))
    assert rows(pa.table(model.apply_table(of))) == expected


def test_archives(tmp_path: Any) -> None:
    for path in CRAWL:
        pages = list(sitegrove.read_warc(path))
        table = pa.table(sitegrove.read_warc_table(path, batch_bytes=9_999))
        assert table["url"].num_chunks > 3
        assert table["html"].to_pylist() == [page.html for page in pages]
        assert table["fetched"].to_pylist() == [page.fetched for page in pages]
        with path.open("rb") as file:
            assert list(sitegrove.read_warc(file)) == pages
    with pytest.raises(sitegrove.InputError) as caught:
        sitegrove.read_warc(tmp_path / "none.warc")
    assert caught.value.path == str(tmp_path / "none.warc")


def test_file_objects_that_fail() -> None:
    class Failing:
        name = "odd"

        def read(self, size: int, /) -> bytes:
            raise OSError("the network is gone")

    with pytest.raises(sitegrove.InputError, match="the network is gone") as caught:
        list(sitegrove.read_warc(Failing()))
    assert (caught.value.path, caught.value.offset) == ("odd", 0)
    assert isinstance(caught.value.__cause__, OSError)
    reader = sitegrove.read_warc(CRAWL[0])
    assert sum(1 for _ in reader) > 30
    assert reader.dropped["content-type"] > 0 and reader.feed_items
