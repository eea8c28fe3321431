"""articles.parquet, articles.csv and articles.bulk.ndjson of a run, and a data set, read by other programs.

Every value of every article equals that of articles.jsonl in pyarrow, DuckDB and pandas, the instants (`published_at` and the like)
those of the dates beside them, and the columns are those of docs/FORMATS.md with their types. Every cell of the CSV is that of
articles.jsonl in pandas and Python's csv, and none is one that a spreadsheet evaluates. pyarrow, DuckDB, polars and Spark find every
article of a data set once, under the date on which its page was fetched.
"""
import csv
import datetime
import math
import re
import shutil
from collections import Counter

import duckdb
import pandas
import pyarrow
import pytest
from conftest import CRAWL, ROOT, read_lines
from pyarrow import dataset as arrow_dataset
from pyarrow import parquet

DATES = ["published", "modified", "gone", "fetched"]
LISTS = ["authors", "author_kinds", "tags"]
# Fields that an article may lack.
OPTIONAL = """markdown comments cut gone gone_status moved_to images tables embeds footnotes posts charset_overruled page_type
page_type_probability model_revision health rights extra""".split()
# Beginnings of cells that are evaluated as a formula (OWASP, CSV injection).
EVALUATED = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
KINDS = {"int32": "INT32", "int64": "INT64", "double": "DOUBLE", "bool": "BOOLEAN", "string": "STRING"}
OF_DATASET = ["url", "date", "text", "word_count", "content_hash"]


def parse_instant(text):
    """An RFC 3339 date or date-time in UTC, to the microsecond; None for anything else."""
    try:
        value = datetime.datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return None
    return value.replace(tzinfo=datetime.UTC) if value.tzinfo is None else value.astimezone(datetime.UTC)


def expect_row(article):
    """The row of an article: absent fields null, and the instants of dates."""
    row = dict.fromkeys(OPTIONAL) | article
    row["origin"] = {"record_id": None, "truncated": None, **article["origin"]}
    return row | {f"{name}_at": parse_instant(article.get(name)) for name in DATES}


def to_plain(value):
    """A value converted from the reading program's own types, without fields that are null: absent fields of groups are null."""
    if type(value).__name__ == "NaTType":
        return None
    value = value.tolist() if hasattr(value, "tolist") else value
    value = value.to_pydatetime() if hasattr(value, "to_pydatetime") else value
    if isinstance(value, datetime.datetime):
        return value.astimezone(datetime.UTC)
    if isinstance(value, dict):
        return {name: inner for name, own in value.items() if (inner := to_plain(own)) is not None}
    if isinstance(value, (list, tuple)):
        return [to_plain(inner) for inner in value]
    return None if value is None or value != value else value


def is_same(a, b):
    if isinstance(a, float) and isinstance(b, (int, float)):
        return math.isclose(a, b, rel_tol=0, abs_tol=1e-12)
    return a == b


def compare(program, rows, wanted, problems):
    if len(rows) != len(wanted):
        problems.append(f"{program}: {len(rows)} rows, {len(wanted)} articles")
    for row, article in zip(rows, wanted):
        # A field that an article does not have is null.
        others = {name for name in row.keys() - article.keys() if to_plain(row[name]) is not None} | (article.keys() - row.keys())
        if others:
            problems.append(f"{program}: columns and fields differ: {sorted(others)}")
        for name, value in article.items():
            if not is_same(to_plain(row.get(name)), to_plain(value)):
                problems.append(f"{program}: {article['url']}: {name} is {row.get(name)!r}, not {value!r}")


def read_documented_columns():
    """The columns of docs/FORMATS.md: name and type."""
    section = (ROOT / "docs/FORMATS.md").read_text(encoding="utf-8").split("## `articles.parquet`")[1].split("\n## ")[0]
    cells = [[c.strip() for c in line.strip("|").split("|")] for line in section.split("\n") if line.startswith("| `")]
    return {row[0].strip("`"): row[1] for row in cells}


def name_kind(kind):
    """A pyarrow type as written in docs/FORMATS.md."""
    if pyarrow.types.is_list(kind):
        return f"LIST of {name_kind(kind.value_type)}"
    if pyarrow.types.is_timestamp(kind):
        return "TIMESTAMP"
    return "group" if pyarrow.types.is_struct(kind) else KINDS[str(kind)]


def list_columns(fields, prefix=""):
    for column in fields:
        yield prefix + column.name, name_kind(column.type) + (", optional" if column.nullable else "")
        inner = column.type.value_type if pyarrow.types.is_list(column.type) else column.type
        if pyarrow.types.is_struct(inner):
            yield from list_columns(inner.fields, f"{prefix}{column.name}.")


def test_parquet(run, articles, problems):
    wanted, path = [expect_row(article) for article in articles], str(run / "articles.parquet")
    file = parquet.ParquetFile(path)
    columns, documented = dict(list_columns(file.schema_arrow)), read_documented_columns()
    if list(columns.items()) != list(documented.items()):
        problems.append(f"docs/FORMATS.md: the columns are {columns}")
    compare("pyarrow", file.read().to_pylist(), wanted, problems)
    query = duckdb.sql(f"SET TimeZone='UTC'; SELECT * FROM '{path}'")
    names = query.columns
    compare("duckdb", [dict(zip(names, row)) for row in query.fetchall()], wanted, problems)
    compare("pandas", pandas.read_parquet(path).to_dict("records"), wanted, problems)
    print(f"parquet: {file.metadata.num_rows} rows of {file.metadata.num_columns} columns in {file.num_row_groups} row groups")


def test_csv(run, articles, problems):
    path = run / "articles.csv"
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    frame = pandas.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8-sig", lineterminator="\n")
    if rows != frame.to_dict("records") or len(rows) != len(articles):
        problems.append(f"pandas and Python's csv read different cells, or not {len(articles)} rows")
    for row, article in zip(rows, articles):
        for name, cell in row.items():
            value = article.get(name)
            wanted = "; ".join(value or []) if name in LISTS else f"{value:.4f}" if isinstance(value, float) else str(value or "")
            wanted = f"'{wanted}" if wanted.startswith(EVALUATED) else wanted
            if cell != wanted:
                problems.append(f"{article['url']}: {name} is {cell!r}, not {wanted!r}")


def test_bulk(run, articles):
    path = run / "articles.bulk.ndjson"
    if not path.exists():
        pytest.skip("the run has no articles.bulk.ndjson")
    lines, ids, found = iter(read_lines(path)), set(), []
    for line in lines:
        if list(line) == ["index"]:
            ids.add(line["index"]["_id"])
            line = next(lines)
        else:
            ids.add(line.pop("id"))
        for passage in line.get("passages", []):
            assert passage.pop("text") == line["text"][passage["start"] : passage["end"]]
        found.append(line)
    assert found == articles and len(ids) == len(articles)


@pytest.fixture(scope="session")
def dataset(option, inputs, tmp_path_factory, request):
    """The folder of a data set, and the runs that added to it."""
    if option.dataset:
        return str(option.dataset), option.runs
    folder, sitegrove = tmp_path_factory.mktemp("dataset"), request.getfixturevalue("sitegrove")
    half, runs = len(inputs) // 2, [folder / "one", folder / "two"]
    for run, own in zip(runs, (inputs[:half], inputs[half:])):
        sitegrove("run", *own, "--out", run, "--dataset", folder / "articles", "--quiet")
    return str(folder / "articles"), runs


def read_with_pyarrow(dataset):
    return arrow_dataset.dataset(dataset, partitioning="hive").to_table(columns=OF_DATASET).to_pylist()


def read_with_duckdb(dataset):
    query = f"SELECT {', '.join(OF_DATASET)} FROM read_parquet('{dataset}/*/*.parquet', hive_partitioning = true)"
    return [dict(zip(OF_DATASET, row)) for row in duckdb.sql(query).fetchall()]


def read_with_polars(dataset):
    import polars

    return polars.scan_parquet(f"{dataset}/*/*.parquet", hive_partitioning=True).select(OF_DATASET).collect().to_dicts()


def read_with_spark(dataset):
    from pyspark.sql import SparkSession

    if not shutil.which("java"):
        pytest.skip("no Java")
    session = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    rows = [row.asDict() for row in session.read.parquet(dataset).select(*OF_DATASET).collect()]
    session.stop()
    return rows


@pytest.mark.parametrize("read", [read_with_pyarrow, read_with_duckdb, read_with_polars, read_with_spark])
def test_dataset(dataset, read, problems):
    folder, runs = dataset
    wanted, found = Counter(), Counter()
    for article in (article for run in runs for article in read_lines(run / "articles.jsonl")):
        date = article["fetched"][:10] if article["fetched"] else None
        wanted[tuple({**article, "date": date}[name] for name in OF_DATASET)] += 1
    for row in read(folder):
        date = None if row["date"] in (None, "__HIVE_DEFAULT_PARTITION__") else str(row["date"])
        found[tuple({**row, "date": date}[name] for name in OF_DATASET)] += 1
    problems += [f"{row[0]} of {row[1]} is missing" for row in wanted - found]
    problems += [f"{row[0]} of {row[1]} is in no run" for row in found - wanted]
    assert wanted


def test_index_tables_and_tables_of_pages(sitegrove, run, tmp_path):
    """Tables that DuckDB and pandas wrote are read as the archives are, and results are joined with the index as docs/RUNS.md says."""
    from fastwarc.warc import ArchiveIterator, WarcRecordType

    rows = []
    for path in CRAWL:
        with path.open("rb") as stream:
            records = [(own.stream_pos, own.headers.get("WARC-Target-URI"), own.record_type == WarcRecordType.response, own.http_content_type, own.reader.read())
                       for own in ArchiveIterator(stream)]
        ends = [at for at, *_ in records[1:]] + [path.stat().st_size]
        rows += [(url, path.name, at, end - at, media, body) for (at, url, is_page, media, body), end in zip(records, ends, strict=True) if is_page and media == "text/html"]
    index = pandas.DataFrame(rows, columns=["url", "warc_filename", "warc_record_offset", "warc_record_length", "content_type", "html"])
    listed, pages = tmp_path / "rows.parquet", tmp_path / "pages.parquet"
    duckdb.sql(f"COPY (SELECT url, warc_filename, warc_record_offset, warc_record_length FROM index WHERE url LIKE '%harbour-gazette%') TO '{listed}'")
    index[["url", "html", "content_type"]].to_parquet(pages, compression="gzip")
    expected = {own["url"]: own["text"] for own in read_lines(run / "articles.jsonl") if own["site"] == "harbour-gazette.example"}
    sitegrove("run", listed, "--input-base", CRAWL[0].parent, "--extra", "url_surtkey", "--out", tmp_path / "listed", "--quiet")
    found = {own["url"]: own["text"] for own in read_lines(tmp_path / "listed/articles.jsonl")}
    # The run of the archives has feeds and other captures, too.
    assert len(found) > 5 and found.keys() == expected.keys()
    assert sum(text == expected[url] for url, text in found.items()) > 0.9 * len(found)
    sitegrove("run", pages, "--out", tmp_path / "pages", "--quiet")
    of_pages = {own["url"]: own["text"] for own in read_lines(tmp_path / "pages/articles.jsonl")}
    assert expected.keys() <= of_pages.keys()
    text = (ROOT / "docs/RUNS.md").read_text()
    query = re.search(r"SELECT a\.url, a\.text.*?;", text, re.S).group()
    keyed = duckdb.sql(f"SELECT warc_filename AS content_digest, url FROM '{listed}'").fetchall()
    surt = {own["url"]: own["extra"][0]["value"] for own in read_lines(tmp_path / "listed/articles.jsonl")}
    table = pandas.DataFrame([(digest, surt[url]) for digest, url in keyed if url in surt], columns=["content_digest", "url_surtkey"])
    table.to_parquet(tmp_path / "index.parquet")
    query = query.replace("out/sites/articles.jsonl", str(tmp_path / "listed/articles.jsonl")).replace("rows-of-the-index.parquet", str(tmp_path / "index.parquet"))
    assert len(duckdb.sql(query).fetchall()) == len(found)
