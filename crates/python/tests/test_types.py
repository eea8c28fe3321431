"""Types: the stubs against the module, and the tests and examples against the stubs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import sitegrove

HERE = Path(__file__).resolve().parent
PACKAGE = Path(sitegrove.__file__).resolve().parent.parent
NAMES = ("test_values.py", "test_model.py", "test_process.py", "test_run.py", "conftest.py", "test_documents.py")
EXAMPLES = [str(HERE / name) for name in NAMES]


def _run(*command: str, at: Path) -> None:
    paths = {"MYPYPATH": os.pathsep.join([str(PACKAGE), str(HERE)]), "PYTHONPATH": str(PACKAGE)}
    environment = {**os.environ, **paths}
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=at, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_stubs_are_those_of_the_module(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    # Its blocks derive from those of datatrove, which has no types.
    (tmp_path / "allowed").write_text("sitegrove\\.datatrove\\..*\n", encoding="utf-8")
    allowed = ("--allowlist", str(tmp_path / "allowed"), "--ignore-unused-allowlist")
    _run("mypy.stubtest", "sitegrove", "--ignore-disjoint-bases", *allowed, at=tmp_path)


def test_examples_have_types(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    files = EXAMPLES + [str(PACKAGE / "sitegrove" / name) for name in ("__init__.py", "_run.py", "errors.py")]
    _run("mypy", "--strict", "--cache-dir", str(tmp_path), "--ignore-missing-imports", *files, at=tmp_path)


def test_examples_have_types_for_pyright(tmp_path: Path) -> None:
    pytest.importorskip("pyright")
    configuration = {"include": EXAMPLES, "extraPaths": [str(PACKAGE), str(HERE)], "reportMissingModuleSource": False}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(configuration), encoding="utf-8")
    _run("pyright", "--pythonpath", sys.executable, "--project", str(tmp_path), at=tmp_path)
    _run("pyright", "--pythonpath", sys.executable, "--verifytypes", "sitegrove", "--ignoreexternal", at=tmp_path)


def test_everything_is_documented() -> None:
    for name in sitegrove.__all__:
        thing = getattr(sitegrove, name)
        if name == "__version__":
            continue
        assert thing.__doc__, name
        for attribute, value in vars(thing).items() if isinstance(thing, type) else ():
            if not attribute.startswith("_"):
                assert getattr(value, "__doc__", None), f"{name}.{attribute}"
