"""Whole runs."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sitegrove
from conftest import CRAWL, REPOSITORY
from sitegrove import Progress, steps


def test_a_run_and_what_is_in_it(tmp_path: Path) -> None:
    told: list[Progress] = []
    out = tmp_path / "run"
    result = sitegrove.run(CRAWL, out, sinks=["jsonl", "parquet"], jobs=2, progress=told.append)
    assert told[-1].pages_done == told[-1].pages == result.counts["pages"]
    assert told[-1].bytes_read == told[-1].bytes > 0
    table = pa.table(result.articles())
    assert table.num_rows == result.counts["articles"] > 80
    assert table.to_pylist() == pq.read_table(out / "articles.parquet").to_pylist()
    assert pa.table(result.dropped()).num_rows > 0
    assert "harbour-gazette.example" in result.wrappers() and not result.unreadable
    again = sitegrove.run(CRAWL, out, sinks=["jsonl", "parquet"])
    assert again.ledger == result.ledger, "nothing was to be done"
    assert sitegrove.read_run(out).counts == result.counts
    assert "articles from" in repr(result)


def test_an_archive_that_is_cut_short_is_named(tmp_path: Path) -> None:
    archive = tmp_path / "cut.warc.gz"
    archive.write_bytes(CRAWL[0].read_bytes()[:60_000])
    result = sitegrove.run(archive, tmp_path / "run", sinks=["jsonl"])
    assert result.counts["articles"] > 0
    [problem] = result.unreadable
    assert "cut.warc.gz is cut short at byte " in problem
    assert sitegrove.run(archive, tmp_path / "run", sinks=["jsonl"]).unreadable == [problem]
    surveyed = steps.survey([archive], tmp_path / "survey.parquet")
    assert surveyed.inputs == 1 and surveyed.unreadable == [problem]


def test_an_input_that_is_no_archive_is_named(tmp_path: Path) -> None:
    noise = tmp_path / "noise.warc.gz"
    noise.write_bytes(random.Random(1).randbytes(5_000))
    result = sitegrove.run([CRAWL[0], noise], tmp_path / "run")
    assert result.counts["articles"] > 0
    assert result.unreadable == [f"{noise} contains no record of an archive"]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no limits of files here")
def test_an_output_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    # Files of more than 100 kB cannot be written: articles.jsonl is larger, articles.csv is not.
    code = (
        "import resource, sys, sitegrove\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))\n"
        "sitegrove.run(sys.argv[1], sys.argv[2], sinks=['jsonl', 'csv'])"
    )
    out = tmp_path / "run"
    command = [sys.executable, "-c", code, str(CRAWL[0]), str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f"{out}: outputs could not be written: jsonl: " in done.stderr and "the same call writes these" in done.stderr
    assert (out / "articles.csv").exists() and list(sitegrove.read_run(out).failed_sinks) == ["jsonl"]
    assert not sitegrove.run(CRAWL[0], out, sinks=["jsonl", "csv"]).failed_sinks
    assert (out / "articles.jsonl").exists()


def test_a_run_that_is_not_finished_is_not_opened(tmp_path: Path) -> None:
    result = sitegrove.run(CRAWL[0], tmp_path / "run")
    for state in ("running", "stopped"):
        (result.path / "ledger.json").write_text(json.dumps({**result.ledger, "state": state}))
        with pytest.raises(sitegrove.InputError, match=rf"not finished \({state}\); the same call of run\(\) resumes it"):
            sitegrove.read_run(result.path)
    with pytest.raises(sitegrove.InputError, match="results at an address are not read here"):
        sitegrove.read_run("s3://bucket/run")


def test_inputs_and_feeds_of_settings(tmp_path: Path) -> None:
    feeds = str(REPOSITORY / "data" / "feeds")
    expected = sitegrove.run(CRAWL, tmp_path / "expected", feeds=feeds)
    assert expected.counts["feed_items"] > sitegrove.run(CRAWL, tmp_path / "less").counts["feed_items"]
    run = {"inputs": [str(path) for path in CRAWL], "feeds": [feeds]}
    settings = sitegrove.Settings(run=run)
    assert sitegrove.run([], tmp_path / "both", settings=settings).counts == expected.counts
    assert sitegrove.run(CRAWL, tmp_path / "feeds", settings=settings).counts == expected.counts
    assert sitegrove.run([], tmp_path / "tables", run=run).counts == expected.counts
    assert sitegrove.run(CRAWL[0], tmp_path / "own", settings=settings).counts["pages"] < expected.counts["pages"]


def test_one_path_is_one_input_of_a_step(tmp_path: Path) -> None:
    survey = tmp_path / "survey.parquet"
    assert steps.survey(str(CRAWL[0]), survey).inputs == 1
    with pytest.raises(sitegrove.SitegroveError, match="no-such-file"):
        steps.survey("no-such-file", tmp_path / "none.parquet")
    assert steps.learn(survey, tmp_path / "learn.parquet").finished > 0
    with pytest.raises(sitegrove.SitegroveError, match="round 1 of learning is missing"):
        steps.merge(survey, tmp_path / "merged")


def test_settings_of_a_run(tmp_path: Path) -> None:
    settings = sitegrove.Settings(engine="euclid")
    emit = {"jsonl": "zstd", "markdown": True}
    result = sitegrove.run(str(CRAWL[0]), tmp_path / "run", sinks=["jsonl"], settings=settings, emit=emit)
    articles = pa.table(result.articles())
    assert set(articles["engine"].to_pylist()) == {"euclid"}
    assert articles["markdown"].null_count == 0
    only_parquet = sitegrove.run(CRAWL[0], tmp_path / "other", sinks=["parquet"])
    with pytest.raises(sitegrove.InputError, match="articles.parquet"):
        only_parquet.articles()


def test_what_cannot_be_run(tmp_path: Path) -> None:
    with pytest.raises(sitegrove.InputError, match="no such file"):
        sitegrove.run(tmp_path / "none.warc", tmp_path / "run")
    with pytest.raises(sitegrove.SettingsError):
        sitegrove.run(CRAWL, tmp_path / "run", clutser={})
    with pytest.raises(sitegrove.InputError, match="the folder does not exist"):
        sitegrove.read_run(tmp_path / "run")
    sitegrove.run(CRAWL[0], tmp_path / "run")
    with pytest.raises(sitegrove.SitegroveError, match="other inputs or settings"):
        sitegrove.run(CRAWL[1], tmp_path / "run")
    assert sitegrove.run(CRAWL[1], tmp_path / "run", overwrite=True).counts["pages"] > 0


def test_what_the_callback_raises_stops_the_run(tmp_path: Path) -> None:
    def stop(progress: Progress) -> None:
        raise RuntimeError("enough")

    before = threading.active_count()
    with pytest.raises(RuntimeError, match="enough"):
        sitegrove.run(CRAWL, tmp_path / "run", progress=stop)
    assert threading.active_count() == before
    assert sitegrove.run(CRAWL, tmp_path / "run").counts["articles"] > 80


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
@pytest.mark.parametrize("call", ["sitegrove.run", "steps.survey"])
def test_ctrl_c(call: str, tmp_path: Path) -> None:
    # A pipe that nobody writes to: the call waits for it until it is stopped.
    os.mkfifo(tmp_path / "crawl.warc")
    code = f"import sys, sitegrove\nfrom sitegrove import steps\nprint('go', flush=True)\n{call}(sys.argv[1], sys.argv[2])"
    command = [sys.executable, "-c", code, str(tmp_path / "crawl.warc"), str(tmp_path / "run")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "go\n"
        try:
            process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    assert "KeyboardInterrupt" in errors, errors


def test_a_bar_is_shown_where_tqdm_is_installed(tmp_path: Path) -> None:
    assert sitegrove.run(REPOSITORY / "data" / "crawl", tmp_path / "run", progress=True).counts["sites"] > 5


def test_models_that_last(tmp_path: Path, gazette: list[sitegrove.Page]) -> None:
    file = tmp_path / "models.sqlite"
    result = sitegrove.run(CRAWL, tmp_path / "run", models=file)
    store = sitegrove.open_models(file)
    assert store.path == file and "harbour-gazette.example" in store and "none.example" not in store
    assert list(store) == [site["site"] for site in store.sites() if site["revision"] > 0]
    assert len(store) == len(list(store)) > 0 and str(file) in repr(store)
    model = store["harbour-gazette.example"]
    assert model.site == "harbour-gazette.example"
    assert sum(isinstance(model.apply_page(page), sitegrove.Article) for page in gazette) > 5
    (revision,) = store.revisions(model.site)
    (night,) = store.nights(model.site)
    assert revision["revision"] == night["revision"] == 1 and revision["engine"] == "grove"
    assert store.load(model.site, revision=1) == model
    health = {record["site"]: record for record in result.health()}
    assert health[model.site]["health"] == night["health"]
    with pytest.raises(KeyError):
        store.load(model.site, revision=2)
    with pytest.raises(sitegrove.InputError, match="since: \"yesterday\" is no date, YYYY-MM-DD"):
        store.export(tmp_path / "models.parquet", since="yesterday")
    with pytest.raises(sitegrove.ModelError, match="harbour-gazette"):
        store.load(model.site, settings=sitegrove.Settings(engine="forest"))


def test_what_is_no_store(tmp_path: Path) -> None:
    for content in (None, b"", b"no database" * 1000):
        file = tmp_path / "models.sqlite"
        if content is not None:
            file.write_bytes(content)
        with pytest.raises(sitegrove.InputError, match="models.sqlite") as caught:
            sitegrove.open_models(file)
        assert caught.value.path == str(file)
    assert not sitegrove.run(CRAWL[0], tmp_path / "run").health()


def test_a_damaged_model_costs_its_site_alone(tmp_path: Path) -> None:
    file = tmp_path / "models.sqlite"
    sitegrove.run(CRAWL, tmp_path / "first", models=file)
    shutil.copy(file, tmp_path / "whole.sqlite")
    with sqlite3.connect(file) as store:
        [(blob,)] = store.execute("SELECT blob FROM models WHERE site = 'al-waha.example'")
        middle = len(blob) // 2
        store.execute("UPDATE models SET blob = ? WHERE site = 'al-waha.example'", (blob[:middle] + b"????" + blob[middle + 4 :],))
    with pytest.raises(sitegrove.SitegroveError, match="sitegrove models forget FILE al-waha.example"):
        sitegrove.open_models(file).load("al-waha.example")
    nights = [sitegrove.run(CRAWL[1:], tmp_path / path.stem, models=path) for path in (file, tmp_path / "whole.sqlite")]
    decisions, expected = ({record["site"]: record["decision"] for record in night.health()} for night in nights)
    assert decisions.pop("al-waha.example") == "learn-fresh" != expected.pop("al-waha.example")
    assert decisions == expected and nights[0].counts["models_damaged"] == 1


def test_an_archive_or_index_needs_its_output(tmp_path: Path) -> None:
    with pytest.raises(sitegrove.SettingsError, match=r"emit={'archive': …} needs the output 'sqlite' in sinks"):
        sitegrove.run(CRAWL[0], tmp_path / "run", emit={"archive": str(tmp_path / "articles.sqlite")})
    sitegrove.run(CRAWL[0], tmp_path / "run", sinks=["sqlite"], emit={"archive": str(tmp_path / "articles.sqlite")})
    assert (tmp_path / "articles.sqlite").exists()


def test_arguments_that_are_not_known_are_told_in_plain_words(tmp_path: Path) -> None:
    with pytest.raises(sitegrove.SettingsError, match="no argument 'sink'.*did you mean 'sinks'"):
        sitegrove.run(CRAWL, tmp_path / "run", sink=["jsonl"])  # type: ignore[arg-type]
    with pytest.raises(sitegrove.SettingsError, match="no argument 'markdown'.*emit={'markdown': …}"):
        sitegrove.run(CRAWL, tmp_path / "run", markdown=True)  # type: ignore[arg-type]
    with pytest.raises(sitegrove.SettingsError, match="no argument 'xyzzy'"):
        sitegrove.run(CRAWL, tmp_path / "run", xyzzy=1)  # type: ignore[arg-type]
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("name", ["https://example.org/news/1", " file:///tmp/a.html", "pages/story.html"])
def test_an_address_is_no_page(name: str) -> None:
    with pytest.raises(sitegrove.InputError, match="pass the HTML itself"):
        sitegrove.extract(name)


def test_a_text_that_begins_with_an_address_is_a_page() -> None:
    assert sitegrove.extract("https://example.org is where the harbour news has been for years.") is not None
    # Nor is it mistaken for one where the address is given.
    sitegrove.extract("https://example.org/other", "https://example.org/news/1")


def test_halves_of_surrogate_pairs_are_replaced() -> None:
    article = sitegrove.extract("<p>" + "The bridge \ud83d stays open all winter. " * 9, "https://example.org/news/1")
    assert article is not None and "The bridge \ufffd" in article.text
    with pytest.raises(TypeError, match="the HTML must be str or bytes, not <class 'NoneType'>"):
        sitegrove.extract(None)  # type: ignore[arg-type]
