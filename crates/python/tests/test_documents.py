"""Examples in documents and doc strings: what they print."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

import sitegrove
from conftest import CRAWL, REPOSITORY, blocks

OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
DOCUMENTS = [REPOSITORY / "crates" / "python" / "README.md", REPOSITORY / "docs" / "PYTHON.md"]
# The blocks of other documents in these languages, and the tests that run them.
ELSEWHERE = {
    ("CLUSTER.md", "python"): "test_spark, test_delta, test_datatrove",
    ("FORMATS.md", "python"): "test_queries_of_formats_find_articles",
    ("FORMATS.md", "sql"): "test_queries_of_formats_find_articles",
    ("NIGHTLY.md", "sql"): "pipeline/tests/program/models.rs",
    ("RUNS.md", "sql"): "scripts/check/test_tables.py; the index of Common Crawl is not at hand",
    ("SEARCH.md", "python"): "nothing: it needs a model of embeddings",
    ("SEARCH.md", "sql"): "nothing: it reads what the block before it wrote",
}


def test_every_block_is_run_by_a_test() -> None:
    documents = [*REPOSITORY.glob("*.md"), *REPOSITORY.glob("docs/**/*.md"), *DOCUMENTS]
    found = {(path.name, name) for path in documents if path not in DOCUMENTS for name in ("python", "sql") if blocks(path, name)}
    assert found == set(ELSEWHERE)


@pytest.mark.parametrize("name", [name for name in sitegrove.__all__ if name != "__version__"])
def test_examples_of_doc_strings(name: str) -> None:
    documented = getattr(sitegrove, name)
    example = doctest.DocTestParser().get_doctest(documented.__doc__ or "", {}, name, None, None)
    assert doctest.DocTestRunner(optionflags=OPTIONS).run(example).failed == 0


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_examples_of_documents(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All blocks of a document are one program, run where `data/` is and `out/` is to be."""
    (tmp_path / "data").symlink_to(REPOSITORY / "data")
    monkeypatch.chdir(tmp_path)
    examples = blocks(path, "python")
    assert examples
    names: dict[str, object] = {}
    for block in examples:
        if ">>>" in block:
            example = doctest.DocTestParser().get_doctest(block, names, path.name, str(path), 0)
            example.globs = names
            assert doctest.DocTestRunner(optionflags=OPTIONS).run(example, clear_globs=False).failed == 0
        else:
            exec(compile(block, str(path), "exec"), names)


def test_queries_of_formats_find_articles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DuckDB and pandas read what a run writes, in the folders that the document names."""
    duckdb = pytest.importorskip("duckdb")
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    path = REPOSITORY / "docs" / "FORMATS.md"
    settings = sitegrove.Settings(emit={"sinks": ["parquet", "dataset"], "dataset": "articles"})
    articles = sitegrove.run(CRAWL, "out/tonight", settings=settings).counts["articles"]
    queries = [query for block in blocks(path, "sql") for query in block.split(";") if query.strip()]
    assert len(queries) >= 2
    for query in queries:
        assert duckdb.sql(query).fetchall(), query
    (by_date,) = re.findall(r'^duckdb -c "(.*)"$', path.read_text(encoding="utf-8"), re.MULTILINE)
    assert sum(count for _, count in duckdb.sql(by_date).fetchall()) == articles
    for block in blocks(path, "python"):
        *lines, last = block.splitlines()
        names: dict[str, object] = {}
        exec(compile("\n".join(lines), str(path), "exec"), names)
        means = eval(compile(last, str(path), "eval"), names)
        assert len(means) >= 5 and means.min() > 100, block
