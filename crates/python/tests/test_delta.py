"""Articles and models of many nights in Delta Lake tables, as docs/CLUSTER.md shows it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import sitegrove
from conftest import REPOSITORY, blocks
from crawls import archives

deltalake = pytest.importorskip("deltalake")
pyarrow = pytest.importorskip("pyarrow")

CLUSTER = REPOSITORY / "docs" / "CLUSTER.md"


def test_tables_grow_by_a_night_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "crawl").mkdir()
    crawl = archives(tmp_path / "crawl")
    known: dict[str, Any] = {}
    (example,) = [block for block in blocks(CLUSTER, "python") if "deltalake" in block]
    exec(compile(example, str(CLUSTER), "exec"), known)
    add_night = known["add_night"]
    settings = sitegrove.Settings(sample={"pages": 30}, emit={"sinks": ["parquet"]})
    urls: list[set[str]] = []
    for number, night in enumerate([crawl[0::2], crawl[1::2]]):
        out = tmp_path / f"out-{number}"
        sitegrove.run(night, out, models="models.sqlite", settings=settings)
        urls.append(set(pyarrow.parquet.read_table(out / "articles.parquet").column("url").to_pylist()))
        add_night(out, f"2026-10-0{number + 5}")
    # A night that is added again replaces its own rows.
    add_night(tmp_path / "out-1", "2026-10-06")
    articles = deltalake.DeltaTable("tables/articles").to_pyarrow_table()
    of_night = lambda night: {row["url"] for row in articles.to_pylist() if row["night"] == night}
    assert [of_night("2026-10-05"), of_night("2026-10-06")] == urls
    assert articles.num_rows == sum(map(len, urls))
    models = deltalake.DeltaTable("tables/models").to_pyarrow_table().to_pylist()
    store = sitegrove.open_models("models.sqlite")
    revisions = [(site, row["revision"]) for site in store for row in store.revisions(site)]
    assert sorted((row["site"], row["revision"]) for row in models) == sorted(revisions)
