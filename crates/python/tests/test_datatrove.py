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


def crawl(listed: list[str], folder: Path, tasks: int, **given: Any) -> list[str]:
    """The addresses of the articles, all stages done anew."""
    stages = [
        blocks.Survey(listed, folder, **given),
        blocks.Learn(folder),
        blocks.Apply(folder),
        blocks.Learn(folder, round=2),
        blocks.Apply(folder, round=2),
        blocks.Describe(folder),
        blocks.Merge(folder),
    ]
    done = [[*stage.run(None, rank, tasks)] for stage in stages for rank in range(tasks)]
    return sorted(document.id for of_rank in done[-tasks:] for document in of_rank)


def test_a_folder_that_is_used_again_gives_the_new_articles(tmp_path: Path) -> None:
    nights = [[str(path) for path in CRAWL], [str(CRAWL[1])]]
    found = [crawl(night, tmp_path / "steps", 3) for night in nights]
    assert found == [crawl(night, tmp_path / f"steps-{number}", 3) for number, night in enumerate(nights)]
    assert 0 < len(found[1]) < len(found[0])
    assert not list((tmp_path / "steps").glob("merged-*"))
    with pytest.raises(sitegrove.SitegroveError, match="survey-0-000002.parquet is of a crawl by more than 2 tasks"):
        crawl(nights[1], tmp_path / "steps", 2)


def test_archives_that_cannot_be_read_are_logged(tmp_path: Path) -> None:
    (tmp_path / "cut.warc.gz").write_bytes(CRAWL[0].read_bytes()[:60_000])
    missing = str(tmp_path / "gone.warc.gz")
    errors: list[str] = []
    number = blocks.logger.add(errors.append, level="ERROR", format="{message}")
    try:
        survey = blocks.Survey([str(CRAWL[1]), missing, str(tmp_path / "cut.warc.gz")], tmp_path / "steps")
        list(survey.run(None))
    finally:
        blocks.logger.remove(number)
    assert [line.strip() for line in errors][0] == f"cannot read {missing}: No such file or directory"
    assert "cut.warc.gz is cut short at byte " in errors[1] and len(errors) == 2
    assert survey.stats["unreadable"].total == 2 and survey.stats["pages"].total > 0


def test_feeds_of_settings_are_read_by_one_task(tmp_path: Path) -> None:
    settings = {"run": {"feeds": [str(REPOSITORY / "data" / "feeds")]}}
    for rank in range(2):
        list(blocks.Survey([str(CRAWL[0])], tmp_path / "steps", settings=settings).run(None, rank, 2))
    surveys = sorted((tmp_path / "steps").glob("survey-*"))
    assert [path.stat().st_size > 0 for path in surveys] == [True, False]
    alone = sitegrove.steps.survey(CRAWL[0], tmp_path / "alone.parquet")
    assert alone.inputs == 1 and surveys[0].stat().st_size > (tmp_path / "alone.parquet").stat().st_size


def test_one_bad_page_costs_itself(tmp_path: Path) -> None:
    sitegrove.run(CRAWL[0], tmp_path / "run", models=tmp_path / "models.sqlite")
    texts = ["https://example.org/other", "see index.html", "<p>half a surrogate \ud83d", "<p>" + "A bridge stays open all winter. " * 30]
    documents = [Document(text=text, id=str(n), metadata={"url": f"https://new.example/{n}"}) for n, text in enumerate(texts)]
    found = list(blocks.ApplyModels(tmp_path / "models.sqlite").run(iter(documents)))
    assert "3" in [document.id for document in found]


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
