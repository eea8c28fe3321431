"""The forms in which Ray Data, Daft, polars and NeMo Curator call the package."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

import sitegrove
from conftest import CRAWL
from sitegrove import SiteModel
from sitegrove.arrow import ApplyModels


@pytest.fixture(scope="module")
def pages() -> pa.Table:
    """Pages of several sites, mixed."""
    tables = [pa.table(sitegrove.read_warc_table(path)).select(["url", "html"]) for path in CRAWL[:2]]
    table = pa.concat_tables(tables)
    order = sorted(range(len(table)), key=lambda row: hash((row * 7919) % 104729))
    return table.take(order)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    sitegrove.run(CRAWL[:2], folder / "out", models=folder / "models.sqlite", sinks=["jsonl"])
    return folder / "models.sqlite"


@pytest.fixture(scope="module")
def expected(pages: pa.Table, models: Path) -> list[tuple[Any, ...]]:
    return rows(pa.table(sitegrove.open_models(models).apply_table(pages)))


def rows(articles: pa.Table) -> list[tuple[Any, ...]]:
    names = ["url", "template", "text", "reason"]
    return list(zip(*(articles[name].to_pylist() for name in names), strict=True))


def test_models_of_many_sites(pages: pa.Table, models: Path, expected: list[Any]) -> None:
    store = sitegrove.open_models(models)
    assert [row[0] for row in expected] == pages["url"].to_pylist()
    assert len({row[1] for row in expected if row[1]}) > 5
    for url, html, row in zip(pages["url"].to_pylist(), pages["html"].to_pylist(), expected, strict=True):
        outcome = store[sitegrove.site_key(url)].apply(html, url).to_dict()
        assert (outcome.get("text"), outcome.get("reason")) == row[2:]
    assert rows(pa.table(store.apply_table(pages.to_reader(max_chunksize=7), threads=2))) == expected
    unknown = pages.set_column(0, "url", pa.array([f"https://unknown.example/{row}" for row in range(len(pages))]))
    alone = pa.table(store.apply_table(unknown.slice(0, 5)))
    assert rows(alone) == rows(pa.table(sitegrove.extract_table(unknown.slice(0, 5))))
    with pytest.raises(sitegrove.SitegroveError, match="the settings name forest"):
        next(iter(store.apply_table(pages, settings=sitegrove.Settings(engine="forest"))))


def test_headers_reach_articles(tmp_path: Path) -> None:
    table = pa.table({"url": ["https://a.example/1"], "html": ["<h1>A bridge</h1><p>" + "The bridge stays open all winter. " * 9], "headers": ['[["x-robots-tag","noai"]]']})
    [rights] = pa.table(sitegrove.extract_table(table))["rights"].to_pylist()
    assert rights["robots"] == ["noai"]


def test_polars(pages: pa.Table, models: Path, expected: list[Any]) -> None:
    frame = pl.from_arrow(pages)
    assert isinstance(frame, pl.DataFrame)
    articles = frame.pipe(ApplyModels(models))
    assert articles.select("url", "template", "text", "reason").rows() == expected
    assert pickle.loads(pickle.dumps(ApplyModels(models)))(frame).equals(articles)


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    ray = pytest.importorskip("ray")
    # Tasks that read need cores beside those of the actors.
    ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False)
    yield ray
    ray.shutdown()


def test_ray(ray: Any, pages: pa.Table, models: Path, expected: list[Any], tmp_path: Path) -> None:
    parquet.write_table(pages, tmp_path / "pages.parquet", row_group_size=20)
    data = ray.data.read_parquet(str(tmp_path / "pages.parquet"))
    articles = data.map_batches(ApplyModels, fn_constructor_args=[str(models)], batch_format="pyarrow", batch_size=16, concurrency=2)
    found = pa.concat_tables(ray.get(articles.to_arrow_refs()))
    assert sorted(rows(found), key=str) == sorted(expected, key=str)


def test_daft(pages: pa.Table, models: Path, expected: list[Any]) -> None:
    daft = pytest.importorskip("daft")
    kind = daft.DataType.from_arrow_type(pa.struct(list(ApplyModels.schema())))
    article = daft.func.batch(return_dtype=kind)(ApplyModels(models).of_columns)
    frame = daft.from_arrow(pages)
    found = frame.with_column("article", article(frame["url"], frame["html"])).to_arrow()
    articles = [own["article"] for own in found.to_pylist()]
    assert [(own["url"], own["template"], own["text"], own["reason"]) for own in articles] == expected


def test_nemo_curator(model: SiteModel, gazette: list[sitegrove.Page]) -> None:
    pytest.importorskip("nemo_curator")
    from nemo_curator.stages.text.download.common_crawl.extract import CommonCrawlHTMLExtractor

    from sitegrove.nemo import HtmlExtractor

    page = next(page for page in gazette if isinstance(model.apply(page.html, page.url), sitegrove.Article))
    applied = model.apply(page.html, page.url)
    assert isinstance(applied, sitegrove.Article)
    record = {"url": page.url, "warc_id": "1", "source_id": "a.warc.gz", "content": page.html.encode()}
    found = CommonCrawlHTMLExtractor(algorithm=HtmlExtractor(model)).extract(record)
    assert found["text"] == applied.text and found["language"] == "ENGLISH"
    alone = CommonCrawlHTMLExtractor(algorithm=HtmlExtractor()).extract(record)
    assert len(alone["text"]) > 200
    assert HtmlExtractor().extract_text("<p>", frozenset(), "") is None
