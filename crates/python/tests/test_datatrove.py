"""`sitegrove.datatrove`: a crawl in stages, and known models applied."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import sitegrove
from conftest import CRAWL, NO_ADDRESSES, REPOSITORY, Servers, blocks as blocks_of
from crawls import archives

pytest.importorskip("datatrove", reason="no datatrove: pip install 'sitegrove[datatrove]'")

from datatrove.data import Document  # noqa: E402
from datatrove.executor.local import LocalPipelineExecutor  # noqa: E402

from sitegrove import datatrove as blocks  # noqa: E402

SETTINGS: dict[str, Any] = {"sample": {"pages": 30}}


def failing(_: Any, out: str | Path, **given: Any) -> None:
    """A step that ends in the middle of its work."""
    del given
    if isinstance(out, str):
        pass
    elif out.suffix == ".parquet":
        out.write_text("half of it")
    else:
        out.mkdir()
        (out / "articles.jsonl").write_text("half of it")
    raise RuntimeError("as a test asked for")


@pytest.mark.parametrize("place", ["folder", "bucket"])
def test_stages_give_the_articles_of_a_run(place: str, servers: Servers | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = str(tmp_path / "steps")
    if place == "bucket":
        if servers is None:
            pytest.skip(NO_ADDRESSES)
        folder = servers.make_bucket("steps", monkeypatch) + "/night"
    crawl = archives(tmp_path)
    settings = sitegrove.Settings(**SETTINGS, emit={"sinks": ["jsonl"]})
    result = sitegrove.run(crawl, tmp_path / "run", settings=settings)
    lines = (result.path / "articles.jsonl").read_text().splitlines()
    expected = {article["url"]: article for article in map(json.loads, lines)}
    listing = tmp_path / "paths.txt"
    listing.write_text("\n".join(reversed(crawl)))

    class Collect(blocks.PipelineStep):
        name, type = "collect", "test"

        def run(self, data: Any, rank: int = 0, world_size: int = 1) -> Any:
            del world_size
            documents = [[document.id, document.text, document.metadata] for document in data]
            (tmp_path / f"rank-{rank}.json").write_text(json.dumps(documents))
            yield from ()

    stages: list[list[Any]] = [
        [blocks.Survey(str(listing), folder, settings=SETTINGS)],
        [blocks.Learn(folder, settings=SETTINGS)],
        [blocks.Apply(folder, settings=SETTINGS)],
        [blocks.Learn(folder, round=2, settings=SETTINGS)],
        [blocks.Apply(folder, round=2, settings=SETTINGS)],
        [blocks.Describe(folder, settings=SETTINGS)],
        [blocks.Merge(folder, settings=SETTINGS), Collect()],
    ]
    for number, stage in enumerate(stages):
        executor = LocalPipelineExecutor(stage, tasks=3, workers=1, logging_dir=str(tmp_path / f"logs-{number}"))
        # Ranks in another order; one of them fails, and the executor is started again.
        with monkeypatch.context() as patched:
            patched.setattr(sitegrove.steps, stage[0].name, failing)
            with pytest.raises(RuntimeError, match="as a test asked for"):
                executor._run_for_rank(2)
        executor._run_for_rank(1)
        executor.run()
        # A rank that is done is done again, as where a machine was lost before it could say so.
        (tmp_path / f"logs-{number}" / "completions" / "00002").unlink()
        executor.run()
    found = {}
    for path in sorted(tmp_path.glob("rank-*.json")):
        for url, text, metadata in json.loads(path.read_text()):
            found[url] = {**metadata, "text": text}
    assert len(list(tmp_path.glob("rank-*.json"))) == 3
    assert found == expected and len(found) > 250


def test_the_example_of_the_document_writes_the_articles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = REPOSITORY / "docs" / "CLUSTER.md"
    (example,) = [block for block in blocks_of(cluster, "python") if "datatrove" in block]
    monkeypatch.chdir(tmp_path)
    Path("paths.txt").write_text("\n".join(map(str, CRAWL)))
    exec(compile(example, str(cluster), "exec"), {})
    written = [json.loads(line) for path in Path("articles").iterdir() for line in gzip.open(path)]
    result = sitegrove.run(CRAWL, "run", settings=sitegrove.Settings(emit={"sinks": ["jsonl"]}))
    lines = (result.path / "articles.jsonl").read_text().splitlines()
    expected = {article["url"]: article["text"] for article in map(json.loads, lines)}
    assert {article["id"]: article["text"] for article in written} == expected


def test_known_models_are_applied(tmp_path: Path) -> None:
    store = tmp_path / "models.sqlite"
    sitegrove.run(CRAWL, tmp_path / "run", models=store)
    pages = [page for path in CRAWL for page in sitegrove.read_warc(path)]
    assert pages
    documents = [Document(text=page.html, id=str(n), metadata={"url": page.url}) for n, page in enumerate(pages)]
    step = blocks.ApplyModels(store)
    articles = list(step.run(iter(documents)))
    models = sitegrove.open_models(store)
    applied = [models.load(page.site).apply(page.html, page.url) for page in pages if page.site in models]
    texts = [article.text for article in applied if isinstance(article, sitegrove.Article)]
    assert texts and set(texts) <= {document.text for document in articles}
    assert step.stats["articles"].total == len(articles)
