"""Articles of a crawl by Apache Spark: a run in steps (`sitegrove.steps`), each of as many tasks as wanted.

::

    python -m sitegrove.spark paths.txt --articles tables/articles --steps /shared/steps --num-partitions 64
    spark-submit --master … $(python -c 'import sitegrove.spark as s; print(s.__file__)') paths.txt …

``paths.txt`` lists archives, one a line, as the jobs of cc-pyspark take it: paths on a file system that all executors see
at the same path, or addresses (``https://``, ``s3://``, ``s3a://``, ``hdfs://``). ``--steps`` is such a folder or an address, too
(``s3://``, ``s3a://``, ``hdfs://``). The articles are those of ``sitegrove run`` on the same archives, whatever the number of tasks, and whichever of them are killed and repeated.
``docs/CLUSTER.md`` has figures.

Needs ``pip install 'sitegrove[spark]'`` and Java 17.
"""

from __future__ import annotations

import argparse
import gzip
import logging
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote, urlsplit

from sitegrove import Settings, SitegroveError, __version__, open_models, steps
from sitegrove._sitegrove import _reads_addresses
from sitegrove._stepfiles import APPLY, DESCRIBE, LEARN, MERGE, MODELS, SURVEY, StepFolder, readable, step_name

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["Crawl", "Summary", "main"]

_LOG = logging.getLogger("sitegrove.spark")
_LEVELS = {
    "ALL": logging.NOTSET,
    "TRACE": logging.DEBUG,
    "DEBUG": logging.DEBUG,
    "INFO": logging.INFO,
    "WARN": logging.WARNING,
    "ERROR": logging.ERROR,
    "FATAL": logging.CRITICAL,
    "OFF": logging.CRITICAL + 1,
}
"""Spark's log levels, and Python's."""

_OF_MACHINES = ("jobs", "memory", "batch_bytes", "spool", "work", "metrics")
"""Settings of `run` that decide no results."""


class Summary(NamedTuple):
    """What came of a crawl."""

    archives: int
    """Archives that were read."""
    failed: list[str]
    """Archives that could not be read to their end, with the reason."""
    sites: int
    pages: int
    articles: int
    dropped: int
    drops: dict[str, int]
    """Drops by reason."""
    duplicates: int
    """Articles that are marked as duplicates of others."""
    large: int
    """Sites of more captures than the sample, whose models travelled to their pages."""

    def __str__(self) -> str:
        reasons = ", ".join(f"{reason} {count}" for reason, count in sorted(self.drops.items()))
        lines = [
            f"{self.articles} articles from {self.pages} pages of {self.sites} sites ({self.large} large) "
            f"in {self.archives} archives",
            f"Dropped: {self.dropped} ({reasons})",
        ]
        lines += [f"Failed: {problem}" for problem in self.failed]
        return "\n".join(lines)


class Crawl:
    """A crawl whose articles Spark extracts.

    Parameters
    ----------
    spark : SparkSession
        The session.
    folder : path
        Folder for the files of the steps, which all executors see, or its address. It must be empty, or of the same
        archives, settings and partitions: tasks whose files are there are not done again. Any other is refused.
    partitions : int
        Number of tasks of each step.
    settings : dict, optional
        Arguments of `sitegrove.Settings`; a file is read by the driver alone.
    models : path, optional
        A store of site models, which all executors see: learning reads it, and the night is added to it, as by
        ``sitegrove run --models``. One task then merges all sites.
    """

    def __init__(
        self,
        spark: SparkSession,
        folder: str | os.PathLike[str],
        partitions: int,
        settings: dict[str, Any] | None = None,
        models: str | os.PathLike[str] | None = None,
    ) -> None:
        self.spark: SparkSession = spark
        self.folder: StepFolder = StepFolder.of(folder)
        self.partitions: int = partitions
        given = dict(settings or {})
        # One thread a task: Spark has as many tasks at once as there are cores.
        given["run"] = {"jobs": 1, **given.get("run", {})}
        self.models: Path | None = Path(models).absolute() if models is not None else None
        if self.models:
            given["run"]["models"] = str(self.models)
        given["emit"] = {**given.get("emit", {}), "sinks": ["parquet"]}
        self.settings: dict[str, Any] = Settings(**given).to_dict()

    def _tasks(self, step: str, round: int, numbers: Sequence[int], task: Callable[[int, str | Path], Any]) -> list[Any]:
        """Run a task for each number, where its file is not there yet; gives what they return, which is counts."""
        folder = self.folder

        def one(number: int) -> Any:
            name = step_name(step, round, number)
            counts = folder.counts_of(name)
            if counts is None:
                with folder.attempt(name) as to:
                    counts = task(number, to)
                folder.finish(name, counts)
            return counts

        context = self.spark.sparkContext
        context.setJobDescription(f"sitegrove {step}, round {round}")
        _LOG.info("%s%s: %d task%s", step, f", round {round}" if round else "", len(numbers), "s"[: len(numbers) != 1])
        return context.parallelize(list(numbers), max(1, len(numbers))).map(one).collect()

    def run(self, archives: Sequence[str], feeds: Sequence[str] = ()) -> tuple[DataFrame, Summary]:
        """Extract the articles of archives; gives them, and what was counted.

        Archives that cannot be opened are counted and named, and the others are read. Without feeds, those of the settings
        are read.
        """
        settings, partitions, folder = self.settings, self.partitions, self.folder
        paths = sorted({local(archive) for archive in archives})
        _LOG.info("%d archives", len(paths))
        feeds = list(feeds) or settings["run"]["feeds"]
        of_run = {name: value for name, value in settings["run"].items() if name not in _OF_MACHINES}
        folder.begin(
            archives=[[path, _stamp(path)] for path in paths],
            feeds=[[path, _stamp(path)] for path in feeds],
            settings=[Settings(**settings).digest, settings["emit"], of_run],
            models=str(self.models),
            partitions=partitions,
            version=__version__,
        )
        groups = [paths[number::partitions] for number in range(min(partitions, len(paths)))]
        shares = list(range(1, partitions + 1))

        def survey(number: int, out: str | Path) -> list[Any]:
            found, failed = readable(groups[number])
            of_task = feeds if number == 0 else ()
            if not found and not of_task:
                return [0, failed, False]
            done = steps.survey(found, out, feeds=of_task, settings=Settings(**settings))
            return [done.inputs, failed + done.unreadable, True]

        surveyed = self._tasks(SURVEY, 0, range(len(groups)), survey)
        failed = sorted(problem for _, problems, _ in surveyed for problem in problems)
        if not any(is_there for _, _, is_there in surveyed):
            raise SitegroveError("no archive can be read:\n" + "\n".join(failed))

        def learn(round: int) -> Callable[[int, str | Path], Any]:
            wanted = [(SURVEY, 0)] + ([(LEARN, 1), (APPLY, 1)] if round == 2 else [])
            return lambda number, out: steps.learn(
                folder.files_of(*wanted), out, share=(number, partitions), settings=Settings(**settings)
            )

        def apply(round: int) -> Callable[[int, str | Path], Any]:
            learnt = [(LEARN, of) for of in range(1, round + 1)]
            return lambda number, out: steps.apply(
                [folder.place(step_name(SURVEY, 0, number)), *folder.files_of(*learnt)], out, settings=Settings(**settings)
            )

        numbers = [number for number, (_, _, is_there) in enumerate(surveyed) if is_there]
        large = sum(counts[2] for counts in self._tasks(LEARN, 1, shares, learn(1)))
        rounds = [1]
        if large:
            self._tasks(APPLY, 1, numbers, apply(1))
            self._tasks(LEARN, 2, shares, learn(2))
            self._tasks(APPLY, 2, numbers, apply(2))
            rounds = [1, 2]
        everything: list[tuple[str, int]] = [(SURVEY, 0), *((step, round) for round in rounds for step in (LEARN, APPLY))]

        def describe(number: int, out: str | Path) -> Any:
            return steps.describe(
                folder.files_of(*everything), out, share=(number, partitions), settings=Settings(**settings)
            )

        # A store takes in a night as a whole.
        merging = [1] if self.models else shares
        if len(merging) > 1:
            self._tasks(DESCRIBE, 0, shares, describe)
            everything.append((DESCRIBE, 0))

        def merge(number: int, out: str | Path) -> Any:
            files = folder.files_of(*everything)
            share = (number, len(merging))
            # An attempt before this one may have left a part of it.
            merged = steps.merge(files, out, share=share, overwrite=True, settings=Settings(**settings))
            return [merged.ledger["counts"], merged.ledger["drops"]]

        merged = self._tasks(MERGE, 0, merging, merge)
        count: Callable[[str], int] = lambda name: sum(counts[name] for counts, _ in merged)
        drops: dict[str, int] = {}
        for _, of_share in merged:
            for reason, number in of_share.items():
                drops[reason] = drops.get(reason, 0) + number
        summary = Summary(
            archives=sum(number for number, _, _ in surveyed),
            failed=failed,
            sites=count("sites"),
            pages=count("pages"),
            articles=count("articles"),
            dropped=count("dropped"),
            drops=drops,
            duplicates=count("duplicates"),
            large=large,
        )
        folders = [folder.for_spark(f"{step_name(MERGE, 0, number)}/articles.parquet") for number in merging]
        return self.spark.read.parquet(*folders), summary

    def new_models(self, table: str, format: str = "parquet", options: dict[str, str] | None = None) -> DataFrame:
        """The revisions in the store of models that a table, which only grows, does not have yet.

        The columns are those of ``sitegrove models export`` (``docs/NIGHTLY.md``). A table that cannot be read is new.
        """
        if self.models is None:
            raise SitegroveError("models: name a store of site models")
        from pyspark.errors import AnalysisException

        with TemporaryDirectory() as folder:
            exported = Path(folder) / step_name(MODELS, 0, 0)
            open_models(self.models).export(exported)
            self.folder.write(exported.name, exported.read_bytes())
        rows = self.spark.read.parquet(self.folder.for_spark(exported.name))
        try:
            known = self.spark.read.format(format).options(**(options or {})).load(table)
            return rows.join(known.select("site", "revision"), ["site", "revision"], "left_anti")
        except AnalysisException:
            return rows


def _stamp(path: str) -> list[int] | None:
    """Length and time of a file, None where the driver does not see it."""
    try:
        stat = os.stat(path)
    except OSError:
        return None
    return [stat.st_size, stat.st_mtime_ns]


def local(address: str) -> str:
    """The name of an archive for the reader: a path on a file system that all executors see, or an address.

    Raises
    ------
    SitegroveError
        If the address is of a kind that is not read.
    """
    parts = urlsplit(address)
    if parts.scheme == "file":
        return unquote(parts.path)
    if parts.scheme in ("https", "http", "s3", "s3a", "s3n", "hdfs", "viewfs") and "://" in address:
        if not _reads_addresses:
            raise SitegroveError(
                f"{address}: this build of the package has no access to addresses; the published wheels have it, and "
                "`maturin build --features remote` makes it"
            )
        # The names that Hadoop has for the same buckets.
        return f"s3{address[3:]}" if parts.scheme in ("s3a", "s3n") else address
    if parts.scheme and "://" in address:
        raise SitegroveError(
            f"{address}: archives are read at https://, s3:// and hdfs://, and from a file system that all executors see; "
            "mount it, or copy it there"
        )
    return address


def _option(text: str) -> tuple[str, str]:
    name, is_given, value = text.partition("=")
    if not is_given:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value


def arguments() -> argparse.ArgumentParser:
    """The arguments of the job."""
    parser = argparse.ArgumentParser(
        prog="python -m sitegrove.spark",
        description="Extract the articles of a crawl with Apache Spark.",
    )
    parser.add_argument("input", nargs="+", help="a file that lists archives, one path or address a line; or archives")
    parser.add_argument("--input-base-url", metavar="ADDRESS", help="what relative paths in lists are relative to")
    parser.add_argument("--articles", required=True, help="table to append the articles to")
    parser.add_argument("--steps", required=True, help="folder or address for the files of the steps, which all executors see")
    parser.add_argument("--models", help="store of site models that learning reads and the night is added to")
    parser.add_argument("--models-table", metavar="TABLE", help="table to append new revisions of the models to")
    parser.add_argument("--feeds", action="append", default=[], help="feeds: files, folders or globs")
    parser.add_argument("--num-partitions", type=int, default=0, help="tasks of each step (default: two a core)")
    parser.add_argument("--config", help="configuration file of sitegrove")
    parser.add_argument("--output-format", default="parquet", help="format of the table (default: parquet)")
    parser.add_argument("--output-option", action="append", default=[], type=_option, metavar="NAME=VALUE", help="passed to Spark")
    parser.add_argument("--keep-steps", action="store_true", help="keep the files of the steps")
    parser.add_argument(
        "--log-level",
        default="WARN",
        type=str.upper,
        choices=_LEVELS,
        help="log level of the job and of Spark (default: WARN); INFO names each step as it begins",
    )
    return parser


_ARCHIVE = re.compile(r"\.(w?arc(\.(gz|zst|lz4|bz2|xz))?|wacz)$", re.IGNORECASE)


def listed(spark: SparkSession, inputs: Sequence[str], base: str | None = None) -> list[str]:
    """The archives that inputs name: archives themselves, and those in lists, which may be compressed (``.gz``).

    Relative paths in lists are relative to ``base``, an address or a folder; lines that begin with ``#`` are comments. Lists
    at addresses are read by Spark.
    """
    archives: list[str] = []
    for given in inputs:
        if _ARCHIVE.search(given):
            archives.append(given)
            continue
        try:
            if "://" in given and not given.startswith("file://"):
                lines: list[str] = spark.sparkContext.textFile(given).collect()
            else:
                of = Path(local(given))
                text = gzip.decompress(of.read_bytes()) if of.suffix == ".gz" else of.read_bytes()
                lines = text.decode().splitlines()
        except OSError as error:
            raise SitegroveError(f"cannot read the list {given}: {error.strerror or error}") from None
        except Exception as error:
            # Of the messages of the JVM, the first line says what it is; the rest is its stack.
            cause = getattr(error, "java_exception", None) or error
            raise SitegroveError(f"cannot read the list {given}: {str(cause).splitlines()[0]}") from None
        names = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
        inside = f"{base.rstrip('/')}/" if base else ""
        archives.extend(name if "://" in name or name.startswith("/") else inside + name for name in names)
    return archives


def main(argv: Sequence[str] | None = None) -> int:
    """Run the job. Returns 1 if an archive could not be read to its end."""
    parser = arguments()
    args = parser.parse_args(argv)
    if args.models_table and not args.models:
        parser.error("--models-table needs --models")
    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    _LOG.setLevel(_LEVELS[args.log_level])
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.appName("sitegrove").getOrCreate()
    try:
        spark.sparkContext.setLogLevel(args.log_level)
        archives = listed(spark, args.input, args.input_base_url)
        partitions = args.num_partitions or 2 * spark.sparkContext.defaultParallelism
        crawl = Crawl(spark, args.steps, partitions, {"file": args.config} if args.config else None, args.models)
        articles, summary = crawl.run(archives, args.feeds)
        options = dict(args.output_option)
        if crawl.folder.is_appended(args.articles):
            _LOG.warning("%s has the articles of this crawl already: they are not appended again", args.articles)
        else:
            articles.write.format(args.output_format).options(**options).mode("append").save(args.articles)
            crawl.folder.appended(args.articles)
        if args.models_table:
            new = crawl.new_models(args.models_table, args.output_format, options)
            new.write.format(args.output_format).options(**options).mode("append").save(args.models_table)
        print(summary)
    finally:
        spark.stop()
    if not args.keep_steps:
        crawl.folder.remove()
    return 1 if summary.failed else 0


def _exit() -> None:
    try:
        sys.exit(main())
    except SitegroveError as error:
        sys.exit(f"error: {error}")
    except Exception as error:
        # What a task raised is in the trace of the JVM.
        messages = re.findall(r"^(?:\w+: )?sitegrove\.errors\.\w+: (.*)$", str(error), re.MULTILINE)
        if not messages:
            raise
        sys.exit(f"error: {messages[-1]}")


if __name__ == "__main__":
    _exit()
