"""Steps of datatrove pipelines: a crawl to articles, and known models applied to pages.

A crawl takes one executor for each step, as MinHash does, with a folder that all of them see, or an address
(``s3://``, ``hdfs://``)::

    survey = LocalPipelineExecutor([Survey("paths.txt", "steps")], tasks=8, logging_dir="logs/survey")
    learn = LocalPipelineExecutor([Learn("steps")], tasks=8, depends=survey, logging_dir="logs/learn")
    apply = LocalPipelineExecutor([Apply("steps")], tasks=8, depends=learn, logging_dir="logs/apply")
    again = LocalPipelineExecutor([Learn("steps", round=2)], tasks=8, depends=apply, logging_dir="logs/again")
    rest = LocalPipelineExecutor([Apply("steps", round=2)], tasks=8, depends=again, logging_dir="logs/rest")
    describe = LocalPipelineExecutor([Describe("steps")], tasks=8, depends=rest, logging_dir="logs/describe")
    merge = LocalPipelineExecutor([Merge("steps"), JsonlWriter("articles")], tasks=8, depends=describe, logging_dir="logs/merge")

Ranks may run in any order and be repeated. The articles are those of ``sitegrove run`` on the same archives.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sitegrove import Article, Settings, SitegroveError, SiteModel, extract, open_models, site_key, steps
from sitegrove._stepfiles import APPLY, DESCRIBE, LEARN, MERGE, SURVEY, StepFolder, readable, step_name

if TYPE_CHECKING:
    # datatrove has no types.
    DocumentsPipeline = Any
    Document = Any
    logger: Any

    class PipelineStep:
        """A block of a pipeline."""

        name: str
        type: str
        stats: Any

        def stat_update(self, *labels: str, value: int = 1, unit: str | None = None) -> None:
            """Count."""

        def track_time(self, unit: str | None = None) -> Any:
            """Measure the time of a block."""

        def update_doc_stats(self, document: Any) -> None:
            """Count a document."""
else:
    from datatrove.data import Document, DocumentsPipeline
    from datatrove.pipeline.base import PipelineStep
    from datatrove.utils.logging import logger

__all__ = ["Apply", "ApplyModels", "Describe", "Learn", "Merge", "Survey"]


_ROUNDS = [(step, round) for round in (1, 2) for step in (LEARN, APPLY)]


class _Step(PipelineStep):
    """A step of a crawl: a rank writes one file."""

    type: str = "🌲 - SITEGROVE"

    def __init__(self, folder: str | Path, settings: dict[str, Any] | None = None) -> None:
        super().__init__()
        self.folder: StepFolder = StepFolder.of(folder)
        given = dict(settings or {})
        given["run"] = {"jobs": 1, **given.get("run", {})}
        given["emit"] = {**given.get("emit", {}), "sinks": ["jsonl"]}
        self.settings: dict[str, Any] = given

    def run(self, data: DocumentsPipeline, rank: int = 0, world_size: int = 1) -> DocumentsPipeline:
        """Do the part of this rank."""
        del data
        self._work(rank, world_size, Settings(**self.settings))
        yield from ()

    def _work(self, rank: int, world_size: int, settings: Settings) -> None:
        raise NotImplementedError


class Survey(_Step):
    """Read archives: each rank its part of them.

    Parameters
    ----------
    archives : path or list of path
        Archives, or a file that lists them, one path a line; lines that begin with ``#`` are comments. Those that cannot be
        read to their end are logged and counted (``unreadable``), and the others are read.
    folder : path
        Folder for the files of the steps, which all executors see, or its address. Files of an earlier crawl by as many
        tasks are replaced, if all steps are done again.
    feeds : list of path, optional
        Feeds, which rank 0 reads; those of the settings, if not given.
    settings : dict, optional
        Arguments of `sitegrove.Settings`, the same for all steps.
    """

    name: str = "survey"

    def __init__(
        self,
        archives: str | Path | list[str],
        folder: str | Path,
        feeds: list[str] | None = None,
        settings: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(folder, settings)
        self.archives: str | Path | list[str] = archives
        self.feeds: list[str] = list(feeds or [])

    def _work(self, rank: int, world_size: int, settings: Settings) -> None:
        given = self.archives
        paths = given if isinstance(given, list) else Path(given).read_text(encoding="utf-8").split("\n")
        own = sorted({path.strip() for path in paths if path.strip() and not path.startswith("#")})[rank::world_size]
        feeds = (self.feeds or settings["run"]["feeds"]) if rank == 0 else []
        surveys = (name for name in self.folder.list_files() if name.startswith(f"{SURVEY}-0-"))
        if (last := max(surveys, default="")) >= step_name(SURVEY, 0, world_size):
            place = self.folder.place(last)
            raise SitegroveError(f"{place} is of a crawl by more than {world_size} tasks; remove its folder, or name another")
        found, problems = readable(own)
        if found or feeds:
            with self.track_time("survey"), self.folder.attempt(step_name(SURVEY, 0, rank)) as out:
                surveyed = steps.survey(found, out, feeds=feeds, settings=settings)
            self.stat_update("pages", value=surveyed.pages)
            problems += surveyed.unreadable
        else:
            # An earlier crawl may have left one.
            self.folder.write(step_name(SURVEY, 0, rank), b"")
        for problem in problems:
            logger.error(problem)
            self.stat_update("unreadable")


class Learn(_Step):
    """Learn sites: each rank its share of them.

    Parameters
    ----------
    folder : path
        Folder of the files of the steps.
    round : int
        1, or 2 after models were applied.
    settings : dict, optional
        The same for all steps.
    """

    name: str = "learn"

    def __init__(self, folder: str | Path, round: int = 1, settings: dict[str, Any] | None = None) -> None:
        super().__init__(folder, settings)
        self.round: int = round

    def _work(self, rank: int, world_size: int, settings: Settings) -> None:
        first = [(LEARN, 1), (APPLY, 1)] if self.round == 2 else []
        files = self.folder.files_of((SURVEY, 0), *first)
        with self.track_time("learn"), self.folder.attempt(step_name(LEARN, self.round, rank)) as out:
            learnt = steps.learn(files, out, share=(rank + 1, world_size), settings=settings)
        self.stat_update("finished", value=learnt.finished)
        self.stat_update("large", value=learnt.large)


class Apply(_Step):
    """Apply the models of larger sites: each rank to the pages of its part of the surveys.

    Parameters
    ----------
    folder : path
        Folder of the files of the steps.
    round : int
        1, or 2 after the second round of learning.
    settings : dict, optional
        The same for all steps.
    """

    name: str = "apply"

    def __init__(self, folder: str | Path, round: int = 1, settings: dict[str, Any] | None = None) -> None:
        super().__init__(folder, settings)
        self.round: int = round

    def _work(self, rank: int, world_size: int, settings: Settings) -> None:
        surveys = self.folder.files_of((SURVEY, 0))[rank::world_size]
        if surveys:
            learnt = self.folder.files_of(*((LEARN, of) for of in range(1, self.round + 1)))
            with self.track_time("apply"), self.folder.attempt(step_name(APPLY, self.round, rank)) as out:
                applied = steps.apply([*surveys, *learnt], out, settings=settings)
            self.stat_update("pages", value=applied.pages)
        else:
            self.folder.write(step_name(APPLY, self.round, rank), b"")


class Describe(_Step):
    """Describe articles, to find duplicates among those of all ranks: each rank those of its share of the sites.

    Parameters
    ----------
    folder : path
        Folder of the files of the steps.
    settings : dict, optional
        The same for all steps.
    """

    name: str = "describe"

    def _work(self, rank: int, world_size: int, settings: Settings) -> None:
        files = self.folder.files_of((SURVEY, 0), *_ROUNDS)
        with self.track_time("describe"), self.folder.attempt(step_name(DESCRIBE, 0, rank)) as out:
            articles = steps.describe(files, out, share=(rank + 1, world_size), settings=settings)
        self.stat_update("articles", value=articles)


class Merge(_Step):
    """Give the articles: each rank those of its share of the sites.

    ``text`` is that of the article, ``id`` its address; ``metadata`` has all other fields of ``articles.jsonl``.

    Parameters
    ----------
    folder : path
        Folder of the files of the steps.
    settings : dict, optional
        The same for all steps.
    """

    name: str = "merge"

    def run(self, data: DocumentsPipeline, rank: int = 0, world_size: int = 1) -> DocumentsPipeline:
        """Give the articles of this rank."""
        if data:
            yield from data
        settings = Settings(**self.settings)
        files = self.folder.files_of((SURVEY, 0), *_ROUNDS, (DESCRIBE, 0))
        name = step_name(MERGE, 0, rank)
        # Merged anew each time: what an earlier attempt left may be of another crawl.
        with self.folder.on_this_machine() as folder, folder.attempt(name) as out:
            with self.track_time("merge"):
                steps.merge(files, out, share=(rank + 1, world_size), settings=settings)
            for article in _lines(Path(out) / "articles.jsonl"):
                document = Document(text=article.pop("text"), id=article["url"], metadata=article)
                self.update_doc_stats(document)
                yield document
            shutil.rmtree(out)


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


class ApplyModels(PipelineStep):
    """Apply known models to pages, page by page.

    Takes documents whose text is HTML and whose ``metadata["url"]`` is its address, as datatrove's readers of archives
    give them. Gives those that are articles, with their text; pages of sites without a model are extracted by
    themselves.

    Parameters
    ----------
    models : path
        A models file, as ``sitegrove run --models`` writes it.
    settings : dict, optional
        Arguments of `sitegrove.Settings`: those that the models were learnt with.
    """

    name: str = "apply models"
    type: str = "🌲 - SITEGROVE"

    def __init__(self, models: str | Path, settings: dict[str, Any] | None = None) -> None:
        super().__init__()
        self.models: Path = Path(models)
        self.settings: dict[str, Any] = dict(settings or {})

    def run(self, data: DocumentsPipeline, rank: int = 0, world_size: int = 1) -> DocumentsPipeline:
        """Give the articles of the pages."""
        del rank, world_size
        settings = Settings(**self.settings)
        store = open_models(self.models)
        known: dict[str, SiteModel | None] = {}
        for document in data or ():
            url = document.metadata.get("url") or document.id
            site = site_key(url) or ""
            if site not in known:
                known[site] = store.load(site, settings=settings) if site in store else None
            model = known[site]
            with self.track_time():
                found = extract(document.text, url, settings=settings) if model is None else model.apply(document.text, url)
            if isinstance(found, Article):
                self.stat_update("articles")
                document.text = found.text
                document.metadata.update(title=found.title, confidence=found.confidence, template=found.template)
                yield document
            else:
                reason = found.reason if found is not None else "no-article"
                self.stat_update("dropped", f"dropped_{reason}")
