"""`sitegrove.spark`: the articles are those of a run, however many tasks there are."""

from __future__ import annotations

import gzip
import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import sitegrove
from conftest import NO_ADDRESSES, REPOSITORY, Servers, blocks
from crawls import LARGE, PAGES, archives

pytest.importorskip("pyspark", reason="no pyspark: pip install 'sitegrove[spark]'")
if shutil.which("java") is None:
    pytest.skip("no java: Spark needs Java 17", allow_module_level=True)

from pyspark.sql import SparkSession  # noqa: E402

from sitegrove import spark as job  # noqa: E402

SETTINGS: dict[str, Any] = {"sample": {"pages": 30}}


@pytest.fixture(scope="module")
def spark(servers: Servers | None) -> Iterator[SparkSession]:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    if servers:
        # Tasks have the environment that the session was started in.
        keys = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "us-east-1"}
        os.environ.update(keys, AWS_ENDPOINT=servers.http, AWS_ALLOW_HTTP="true")
        os.environ.update(SSL_CERT_FILE=str(servers.certificates), HADOOP_CONF_DIR=str(servers.hdfs.configuration))
    builder = SparkSession.builder.master("local[2,3]").appName("sitegrove-tests")
    options = {
        "spark.ui.enabled": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.driver.memory": "1g",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
    }
    for name, value in options.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return archives(tmp_path_factory.mktemp("crawl"))


@pytest.fixture(scope="module")
def expected(crawl: list[str], tmp_path_factory: pytest.TempPathFactory) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The rows of a run's articles.parquet, in its order, and its ledger."""
    settings = sitegrove.Settings(**SETTINGS, emit={"sinks": ["parquet"]})
    result = sitegrove.run(crawl, tmp_path_factory.mktemp("run") / "out", settings=settings)
    pages = result.counts["pages"]
    assert 0.55 < PAGES / pages < 0.7 and result.counts["articles"] > 250
    return rows(result.path / "articles.parquet"), result.ledger


def rows(path: Path) -> list[dict[str, Any]]:
    import pyarrow.parquet

    listed: list[dict[str, Any]] = pyarrow.parquet.read_table(path).to_pylist()
    # Spark's files say of the same instants that they are in UTC.
    plain: Callable[[Any], Any] = lambda value: value.replace(tzinfo=None) if isinstance(value, datetime) else value
    return [{name: plain(value) for name, value in row.items()} for row in listed]


def in_order(of: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(of, key=lambda row: (row["url"], str(row["origin"])))


class Killed(job.Crawl):
    """Each step's first task is killed once."""

    notes: Path
    """Where it is noted which were killed."""

    def _tasks(self, step: str, round: int, numbers: Sequence[int], task: Callable[[int, str | Path], Any]) -> list[Any]:
        marker, first = self.notes / f"killed-{step}-{round}", next(iter(numbers))

        def dying(number: int, out: str | Path) -> Any:
            if number == first and not marker.exists():
                marker.touch()
                if isinstance(out, Path):
                    out.write_text("half of it")
                os.kill(os.getpid(), signal.SIGKILL)
            return task(number, out)

        return super()._tasks(step, round, numbers, dying)

    def killed(self) -> list[str]:
        """The steps that were killed."""
        return sorted(path.name.removeprefix("killed-") for path in self.notes.glob("killed-*"))


STEPS = ["apply-1", "apply-2", "describe-0", "learn-1", "learn-2", "merged-0", "survey-0"]


@pytest.mark.parametrize("partitions", [1, 2, 7])
def test_the_articles_are_those_of_a_run(
    spark: SparkSession,
    crawl: list[str],
    expected: tuple[list[dict[str, Any]], dict[str, Any]],
    partitions: int,
    tmp_path: Path,
) -> None:
    given = list(crawl)
    random.Random(partitions).shuffle(given)
    kind = Killed if partitions == 2 else job.Crawl
    crawl_job = kind(spark, tmp_path / "steps", partitions, SETTINGS)
    if isinstance(crawl_job, Killed):
        crawl_job.notes = tmp_path
    articles, summary = crawl_job.run(given)
    articles.write.parquet((tmp_path / "articles").as_uri())
    expected_rows, ledger = expected
    assert in_order(rows(tmp_path / "articles")) == in_order(expected_rows)
    merged = sorted((tmp_path / "steps").glob("merged-*/articles.parquet"))
    assert [row for path in merged for row in rows(path)] == expected_rows
    counts = ledger["counts"]
    assert (summary.articles, summary.pages, summary.sites) == (counts["articles"], counts["pages"], counts["sites"])
    assert summary.drops == ledger["drops"]
    assert summary.archives == len(crawl) and summary.failed == [] and summary.large >= 1
    assert any(LARGE in row["url"] for row in expected_rows)
    if isinstance(crawl_job, Killed):
        assert crawl_job.killed() == STEPS
        assert not list((tmp_path / "steps").glob("**/*half*"))


def test_the_example_of_the_document_writes_the_articles(
    spark: SparkSession,
    crawl: list[str],
    tmp_path: Path,
) -> None:
    cluster = REPOSITORY / "docs" / "CLUSTER.md"
    (example,) = [block for block in blocks(cluster, "python") if "sitegrove.spark" in block]
    (tmp_path / "crawl").mkdir()
    shutil.copy(crawl[0], tmp_path / "crawl" / "0.warc.gz")
    names: dict[str, Any] = {"spark": spark}
    # Where another file system is the default of Spark, its tables go there.
    example = example.replace('parquet("/shared', f'parquet("{tmp_path.as_uri()}').replace("/shared", str(tmp_path))
    exec(compile(example, str(cluster), "exec"), names)
    settings = sitegrove.Settings(emit={"sinks": ["parquet"]})
    whole = sitegrove.run([str(tmp_path / "crawl" / "0.warc.gz")], tmp_path / "run", settings=settings)
    found = in_order(rows(tmp_path / "articles"))
    assert found == in_order(rows(whole.path / "articles.parquet"))
    assert names["summary"].articles == len(found) > 20


@pytest.mark.parametrize("partitions", [1, 3])
def test_feeds_and_site_configs_are_those_of_a_run(
    spark: SparkSession,
    crawl: list[str],
    expected: tuple[list[dict[str, Any]], dict[str, Any]],
    partitions: int,
    tmp_path: Path,
) -> None:
    configs = tmp_path / "site-configs"
    configs.mkdir()
    # Of one of the two layouts: pages of the other are the engine's.
    (configs / f"{LARGE}.txt").write_text("body: //div[@class='entry']\ntitle: //h1\n")
    (configs / "blog.example.txt").write_text("body: //div[@class='entry-content']/p[1]\n")
    feeds = [str(path) for path in sorted((REPOSITORY / "data" / "feeds").iterdir())]
    given: dict[str, Any] = {**SETTINGS, "signify": {"source": "feeds"}, "wrap": {"site_configs": [str(configs)]}}
    settings = sitegrove.Settings(**given, emit={"sinks": ["parquet"]})
    whole = sitegrove.run(crawl, tmp_path / "run", feeds=feeds, settings=settings)
    wanted = rows(whole.path / "articles.parquet")
    mixed = list(crawl)
    random.Random(partitions).shuffle(mixed)
    articles, summary = job.Crawl(spark, tmp_path / "steps", partitions, given).run(mixed, feeds[::-1])
    articles.write.parquet((tmp_path / "articles").as_uri())
    assert in_order(rows(tmp_path / "articles")) == in_order(wanted)
    assert summary.drops == whole.ledger["drops"]
    # All of it has an effect: feeds, site configs, revisits.
    assert wanted != expected[0] and whole.counts["feed_items"] > len(feeds)
    assert any("feed" in str(row["sources"]) for row in wanted)
    assert any("site-config" in str(row) for row in wanted)
    assert any(row["url"].startswith("https://mirror.example/") for row in wanted)


def placed(of: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows whose origins are without folders."""
    return in_order([{**row, "origin": {**row["origin"], "file": Path(row["origin"]["file"]).name}} for row in of])


def test_archives_at_addresses(
    spark: SparkSession,
    servers: Servers | None,
    crawl: list[str],
    expected: tuple[list[dict[str, Any]], dict[str, Any]],
    tmp_path: Path,
) -> None:
    if servers is None:
        with pytest.raises(sitegrove.SitegroveError, match="no access to addresses"):
            job.local("s3://crawl/a.warc.gz")
        pytest.skip(NO_ADDRESSES)
    import boto3

    client = boto3.client(
        "s3", endpoint_url=servers.http, region_name="us-east-1", aws_access_key_id="key", aws_secret_access_key="secret"
    )
    client.create_bucket(Bucket="crawl")
    addresses = []
    for number, path in enumerate(crawl):
        name = Path(path).name
        client.upload_file(path, "crawl", f"night/{name}", ExtraArgs={"ACL": "public-read"})
        # As Hadoop names buckets, as the program does, and by HTTP.
        start = ["s3a://crawl", "s3://crawl", f"{servers.http}/crawl", f"{servers.https}/crawl"][number % 4]
        addresses.append(f"{start}/night/{name}")
    listing = tmp_path / "paths.txt"
    missing = "s3://crawl/night/gone.warc.gz"
    listing.write_text("\n".join([*addresses, missing]))
    articles, summary = job.Crawl(spark, tmp_path / "steps", 3, SETTINGS).run(job.listed(spark, [str(listing)]))
    articles.write.parquet((tmp_path / "articles").as_uri())
    found = rows(tmp_path / "articles")
    assert {row["origin"]["file"].split(":")[0] for row in found} == {"s3", "http", "https"}
    assert placed(found) == placed(expected[0])
    assert summary.archives == len(crawl) and len(summary.failed) == 1
    assert missing in summary.failed[0] and "cannot read" in summary.failed[0]


def test_archives_steps_and_tables_in_hdfs(
    spark: SparkSession,
    servers: Servers | None,
    crawl: list[str],
    expected: tuple[list[dict[str, Any]], dict[str, Any]],
    tmp_path: Path,
) -> None:
    if servers is None:
        pytest.skip(NO_ADDRESSES)
    address = servers.hdfs.address
    # With the host, and without: then it is that of the configuration.
    names = [f"{start}/night/{Path(path).name}" for path, start in zip(crawl, itertools.cycle([address, "hdfs://"]))]
    missing = f"{address}/night/gone.warc.gz"
    listing = tmp_path / "paths.txt"
    listing.write_text("\n".join([*names, missing]))
    servers.hdfs.put([*crawl, listing], "/night")
    archives = job.listed(spark, [f"{address}/night/paths.txt"])
    assert archives == [*names, missing]
    crawl_job = Killed(spark, f"{address}/steps/", 3, SETTINGS)
    crawl_job.notes = tmp_path
    articles, summary = crawl_job.run(archives)
    assert crawl_job.killed() == STEPS
    # The same job does nothing again.
    assert job.Crawl(spark, f"{address}/steps", 3, SETTINGS).run(archives)[1] == summary
    table = f"{address}/tables/articles"
    articles.write.parquet(table)
    spark.read.parquet(table).coalesce(1).write.parquet((tmp_path / "articles").as_uri())
    found = rows(tmp_path / "articles")
    assert {row["origin"]["file"].split("/night")[0] for row in found} == {address, "hdfs://"}
    assert placed(found) == placed(expected[0])
    assert summary.archives == len(crawl)
    assert len(summary.failed) == 1 and missing in summary.failed[0] and "cannot read" in summary.failed[0]
    crawl_job.folder.remove()
    assert crawl_job.folder.list_files() == {}
    with pytest.raises(sitegrove.SitegroveError, match="cannot read the list .*none.txt: .*does not exist"):
        job.listed(spark, [f"{address}/none.txt"])


def test_nights_with_models_are_those_of_runs(spark: SparkSession, crawl: list[str], tmp_path: Path) -> None:
    settings = sitegrove.Settings(**SETTINGS, emit={"sinks": ["parquet"]})
    of_runs, of_spark, table = tmp_path / "runs.sqlite", tmp_path / "spark.sqlite", (tmp_path / "models").as_uri()
    nights = [crawl[0::2], crawl[1::2], crawl[1::2]]
    for number, night in enumerate(nights):
        whole = sitegrove.run(night, tmp_path / f"run-{number}", models=of_runs, settings=settings)
        nightly = job.Crawl(spark, tmp_path / f"steps-{number}", 3, SETTINGS, of_spark)
        articles, _ = nightly.run(night)
        articles.write.parquet((tmp_path / f"articles-{number}").as_uri())
        assert in_order(rows(tmp_path / f"articles-{number}")) == in_order(rows(whole.path / "articles.parquet"))
        nightly.new_models(table).write.mode("append").parquet(table)
    stored = sitegrove.open_models(of_spark)
    revisions = {site: stored.revisions(site) for site in stored}
    expected = sitegrove.open_models(of_runs)
    assert revisions == {site: expected.revisions(site) for site in expected}
    # The table has every revision once, and a store can be made of it.
    listed = spark.read.parquet(table).select("site", "revision", "learnt_at", "health").collect()
    assert sorted((row.site, row.revision) for row in listed) == sorted(
        (site, row["revision"]) for site, own in revisions.items() for row in own
    )
    assert LARGE in {row.site for row in listed} and len(listed) > len(revisions)
    copy = tmp_path / "copy.sqlite"
    assert sitegrove.import_models(copy, sorted((tmp_path / "models").glob("*.parquet"))) == (len(listed), 0)
    assert sitegrove.open_models(copy).load(LARGE, settings=settings) == stored.load(LARGE, settings=settings)


def test_archives_that_cannot_be_read_are_named(spark: SparkSession, crawl: list[str], tmp_path: Path) -> None:
    missing = str(tmp_path / "gone.warc.gz")
    _, summary = job.Crawl(spark, tmp_path / "steps", 3).run([*crawl[:1], missing])
    assert summary.failed == [f"cannot read {missing}: No such file or directory"]
    assert summary.archives == 1 and summary.articles > 20
    assert f"Failed: cannot read {missing}" in str(summary)
    with pytest.raises(sitegrove.SitegroveError, match="no archive can be read"):
        job.Crawl(spark, tmp_path / "none", 1).run([missing])


def test_a_folder_of_another_crawl_is_refused(spark: SparkSession, crawl: list[str], tmp_path: Path) -> None:
    archive = tmp_path / "0.warc.gz"
    shutil.copy(crawl[0], archive)
    articles, summary = job.Crawl(spark, tmp_path / "steps", 2).run([str(archive)])
    assert articles.count() == summary.articles > 20
    # Paths of machines where it was called do not matter, nor does how much of this one is used.
    same = job.Crawl(spark, tmp_path / "steps", 2, {"run": {"memory": "1GB"}})
    assert same.run([archive.as_uri()])[1] == summary
    with pytest.raises(sitegrove.SitegroveError, match="steps of a crawl with other archives, .*; remove it"):
        job.Crawl(spark, tmp_path / "steps", 2).run([crawl[1]])
    with pytest.raises(sitegrove.SitegroveError, match="with other settings and partitions, .*; remove it"):
        job.Crawl(spark, tmp_path / "steps", 3, {"cluster": {"min_words": 9_999}}).run([str(archive)])
    with pytest.raises(sitegrove.SitegroveError, match="with other settings, "):
        job.Crawl(spark, tmp_path / "steps", 2, {"markdown": True}).run([str(archive)])
    archive.write_bytes(Path(crawl[1]).read_bytes())
    with pytest.raises(sitegrove.SitegroveError, match="with other archives, "):
        job.Crawl(spark, tmp_path / "steps", 2).run([str(archive)])
    with pytest.raises(sitegrove.SettingsError, match="min_words"):
        job.Crawl(spark, tmp_path / "steps", 2, {"cluster": {"min_wrods": 1}})


def test_only_files_of_steps_are_removed(spark: SparkSession, crawl: list[str], tmp_path: Path) -> None:
    thesis = tmp_path / "steps" / "thesis" / "survey-0-000000.parquet"
    thesis.parent.mkdir(parents=True)
    thesis.write_text("mine")
    with pytest.raises(sitegrove.SitegroveError, match="has files that are not of a crawl, such as thesis/, .*; name an empty folder"):
        job.Crawl(spark, tmp_path / "steps", 1).run(crawl[:1])
    assert thesis.read_text() == "mine" and [path.name for path in (tmp_path / "steps").iterdir()] == ["thesis"]
    of = job.Crawl(spark, tmp_path / "other", 1)
    of.run(crawl[:1])
    (tmp_path / "other" / "models.parquet").write_text("mine")
    of.folder.remove()
    assert [path.name for path in (tmp_path / "other").iterdir()] == ["models.parquet"]
    (tmp_path / "other" / "models.parquet").unlink()
    of.run(crawl[:1])
    of.folder.remove()
    assert not (tmp_path / "other").exists()


def test_articles_are_appended_once(spark: SparkSession, crawl: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark, "stop", lambda: None)
    table = (tmp_path / "articles").as_uri()
    command = [crawl[0], "--articles", table, "--steps", str(tmp_path / "steps"), "--num-partitions", "1", "--keep-steps"]
    assert [job.main(command), job.main(command)] == [0, 0]
    once = spark.read.parquet(table).count()
    assert once == len({row.url for row in spark.read.parquet(table).select("url").collect()}) > 20
    # Another table is another.
    other = (tmp_path / "other").as_uri()
    assert job.main([other if part == table else part for part in command]) == 0
    assert spark.read.parquet(other).count() == once
    with pytest.raises(SystemExit):
        job.main([*command, "--output-option", "compression"])


def test_an_error_of_a_task_is_told_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = "Traceback (most recent call last):\n  File \"a.py\"\nsitegrove.errors.InputError: a.warc.gz is damaged\n\n\tat org.apache.spark"

    def failing_job() -> int:
        raise RuntimeError(trace)

    monkeypatch.setattr(job, "main", failing_job)
    with pytest.raises(SystemExit, match="^error: a.warc.gz is damaged$"):
        job._exit()


def test_lists_and_addresses(spark: SparkSession, tmp_path: Path) -> None:
    listing = tmp_path / "paths.txt"
    listing.write_text("# tonight\na.warc.gz\n\nfile:///b%20c.warc.gz\n")
    archives = job.listed(spark, [str(listing), "d.warc"])
    assert [job.local(archive) for archive in archives] == ["a.warc.gz", "/b c.warc.gz", "d.warc"]
    with pytest.raises(sitegrove.SitegroveError, match="mount it"):
        job.local("ftp://crawl/a.warc.gz")
    with pytest.raises(sitegrove.SitegroveError, match="cannot read the list"):
        job.listed(spark, [str(tmp_path / "nothing.txt")])
    # As Common Crawl lists its archives.
    compressed = tmp_path / "warc.paths.gz"
    compressed.write_bytes(gzip.compress(b"crawl-data/a.warc.gz\n/other/b.arc.gz\n"))
    assert job.listed(spark, [str(compressed)], "s3://commoncrawl/") == ["s3://commoncrawl/crawl-data/a.warc.gz", "/other/b.arc.gz"]
    assert job.listed(spark, [compressed.as_uri()]) == ["crawl-data/a.warc.gz", "/other/b.arc.gz"]
    (tmp_path / "list.gz").write_bytes(b"no gzip")
    with pytest.raises(sitegrove.SitegroveError, match="cannot read the list .*list.gz: Not a gzipped file"):
        job.listed(spark, [str(tmp_path / "list.gz")])


def test_the_command(crawl: list[str], expected: tuple[list[dict[str, Any]], dict[str, Any]], tmp_path: Path) -> None:
    missing = str(tmp_path / "gone.warc.gz")
    (tmp_path / "paths.txt").write_text("\n".join([*crawl, missing]))
    (tmp_path / "sitegrove.toml").write_text("[sample]\npages = 30\n")
    options = "--master local[2] --conf spark.ui.enabled=false --conf spark.driver.bindAddress=127.0.0.1 --conf spark.driver.host=127.0.0.1"
    command = "-m sitegrove.spark paths.txt --articles articles --steps steps --config sitegrove.toml --num-partitions 3"
    tables = "--output-format json --output-option compression=gzip --models models.sqlite --models-table models --log-level INFO"
    done = subprocess.run(
        [sys.executable, *command.split(), *tables.split()],
        cwd=tmp_path,
        # Bare paths are in the file system of this machine.
        env={**os.environ, "PYSPARK_SUBMIT_ARGS": f"{options} pyspark-shell", "HADOOP_CONF_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    counts = expected[1]["counts"]
    lines = done.stdout.splitlines()
    assert done.returncode == 1, done.stderr
    assert lines[0].startswith(f"{counts['articles']} articles from {counts['pages']} pages of {counts['sites']} sites (")
    assert lines[1].startswith(f"Dropped: {counts['dropped']} (")
    assert lines[2:] == [f"Failed: cannot read {missing}: No such file or directory"]
    told = [line.partition(" INFO sitegrove.spark: ")[2] for line in done.stderr.splitlines() if " INFO sitegrove.spark: " in line]
    assert told[:3] == [f"{len(crawl) + 1} archives", "survey: 3 tasks", "learn, round 1: 3 tasks"] and told[-1] == "merged: 1 task"

    def read(table: str) -> list[dict[str, Any]]:
        return [json.loads(line) for path in (tmp_path / table).glob("*.json.gz") for line in gzip.open(path)]

    assert sorted(row["url"] for row in read("articles")) == sorted(row["url"] for row in expected[0])
    store = sitegrove.open_models(tmp_path / "models.sqlite")
    revisions = [(site, own["revision"]) for site in store for own in store.revisions(site)]
    assert sorted((row["site"], row["revision"]) for row in read("models")) == sorted(revisions) and revisions
    assert not (tmp_path / "steps").exists()
