"""Examples in documents and doc strings: what they print."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

import sitegrove
from conftest import REPOSITORY

OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
DOCUMENTS = [REPOSITORY / "crates" / "python" / "README.md", REPOSITORY / "docs" / "PYTHON.md"]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


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
    blocks = BLOCK.findall(path.read_text(encoding="utf-8"))
    assert blocks
    names: dict[str, object] = {}
    for block in blocks:
        if ">>>" in block:
            example = doctest.DocTestParser().get_doctest(block, names, path.name, str(path), 0)
            example.globs = names
            assert doctest.DocTestRunner(optionflags=OPTIONS).run(example, clear_globs=False).failed == 0
        else:
            exec(compile(block, str(path), "exec"), names)
