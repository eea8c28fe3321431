"""Where the files of steps are, and how a task that may be repeated writes them."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
import uuid
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any

from ._sitegrove import _Objects, read_warc
from .errors import SitegroveError

__all__ = [
    "APPLY",
    "DESCRIBE",
    "LEARN",
    "MERGE",
    "MODELS",
    "SURVEY",
    "LocalFolder",
    "RemoteFolder",
    "StepFolder",
    "readable",
    "step_name",
]

SURVEY, LEARN, APPLY, DESCRIBE, MERGE, MODELS = "survey", "learn", "apply", "describe", "merged", "models"

_CRAWL, _APPENDED = ".crawl.json", ".appended.json"
_OWN = re.compile(
    rf"\.?({SURVEY}|{LEARN}|{APPLY}|{DESCRIBE}|{MERGE}|{MODELS})-\d-\d{{6,}}(\.parquet)?(\.json)?"
    r"|\.(crawl|appended)\.json|\.attempts"
)
"""The names of all files and folders that jobs write."""


def step_name(step: str, round: int, number: int) -> str:
    """The name of the file, or the run folder, of a task."""
    name = f"{step}-{round}-{number:06}"
    return name if step == MERGE else f"{name}.parquet"


def readable(archives: Iterable[str]) -> tuple[list[str], list[str]]:
    """The archives that can be opened, and why the others cannot: so that these are named and those are read."""
    found, failed = [], []
    for archive in archives:
        try:
            if "://" in archive:
                read_warc(archive)
            elif not os.path.isdir(archive):
                with open(archive, "rb"):
                    pass
            found.append(archive)
        except OSError as error:
            failed.append(f"cannot read {archive}: {error.strerror}")
        except SitegroveError as error:
            failed.append(str(error))
    return found, failed


class StepFolder(ABC):
    """The files of the steps of a crawl, which all tasks see. Attempts at one task write the same."""

    @staticmethod
    def of(place: str | os.PathLike[str]) -> StepFolder:
        """The folder at a path, or at an address."""
        name = os.fspath(place)
        return RemoteFolder(name) if "://" in name else LocalFolder(name)

    @abstractmethod
    def place(self, name: str) -> str | Path:
        """The path or the address of a file."""

    @abstractmethod
    def list_files(self) -> dict[str, int]:
        """The names of all files, with their lengths."""

    @abstractmethod
    def read(self, name: str) -> bytes | None:
        """The contents of a file, None if it does not exist."""

    @abstractmethod
    def write(self, name: str, contents: bytes) -> None:
        """Write a file, which appears as a whole."""

    @abstractmethod
    def remove(self) -> None:
        """Remove the files of steps. Others, and a folder that has others, stay."""

    @abstractmethod
    def attempt(self, name: str) -> AbstractContextManager[str | Path]:
        """Where one attempt at a task writes its file or folder, which takes the place of what another attempt left."""

    @abstractmethod
    def on_this_machine(self) -> AbstractContextManager[LocalFolder]:
        """A folder of this machine: itself, or one that is removed after use."""

    @abstractmethod
    def for_spark(self, name: str) -> str:
        """The address by which Spark finds a file."""

    def files_of(self, *wanted: tuple[str, int]) -> list[str | Path]:
        """All files of steps and rounds, in order. An empty one stands for a task that had nothing to read."""
        there = {name: length for name, length in self.list_files().items() if name.endswith(".parquet")}
        found = [name for step, round in wanted for name in sorted(there) if name.startswith(f"{step}-{round}-")]
        return [self.place(name) for name in found if there[name] > 0]

    def counts_of(self, name: str) -> Any:
        """What the task that wrote a file counted, None if it has to be done."""
        counts = self.read(f".{name}.json")
        there = counts and any(own == name or own.startswith(f"{name}/") for own in self.list_files())
        return json.loads(counts) if counts and there else None

    def begin(self, **of: Any) -> None:
        """Note of what the files are; refuse a folder with files of something else."""
        texts = {name: json.dumps(value, sort_keys=True).encode() for name, value in of.items()}
        mine = {name: hashlib.sha256(text).hexdigest() for name, text in texts.items()}
        if (known := self.read(_CRAWL)) is not None:
            before = json.loads(known)
            if other := [name for name in mine if before.get(name) != mine[name]]:
                raise SitegroveError(
                    f"{self.place('')} has the steps of a crawl with other {' and '.join(other)}, which were left as they are; "
                    "remove it, or name another folder"
                )
        elif there := self.list_files():
            raise SitegroveError(
                f"{self.place('')} has files that are not of a crawl, such as {min(there)}, which were left as they are; "
                "name an empty folder"
            )
        else:
            self.write(_CRAWL, json.dumps(mine).encode())

    def is_appended(self, table: str) -> bool:
        """Whether the articles of the crawl were appended to a table."""
        return table in json.loads(self.read(_APPENDED) or "[]")

    def appended(self, table: str) -> None:
        """Note that the articles of the crawl were appended to a table."""
        self.write(_APPENDED, json.dumps([*json.loads(self.read(_APPENDED) or "[]"), table]).encode())

    def finish(self, name: str, counts: Any) -> None:
        """Note what a task counted. One that wrote no file leaves an empty one."""
        if not any(own == name or own.startswith(f"{name}/") for own in self.list_files()):
            self.write(name, b"")
        self.write(f".{name}.json", json.dumps(counts).encode())


class LocalFolder(StepFolder):
    """A folder of a file system."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path: Path = Path(path).absolute()

    def place(self, name: str) -> Path:
        return self.path / name

    def list_files(self) -> dict[str, int]:
        entries = (path for path in self.path.glob("*") if path.name != ".attempts")
        return {path.name + "/" * path.is_dir(): path.stat().st_size for path in entries}

    def read(self, name: str) -> bytes | None:
        path = self.path / name
        return path.read_bytes() if path.exists() else None

    def write(self, name: str, contents: bytes) -> None:
        with self.attempt(name) as path:
            path.write_bytes(contents)

    def remove(self) -> None:
        for path in self.path.glob("*"):
            if not _OWN.fullmatch(path.name):
                continue
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
        with suppress(OSError):
            self.path.rmdir()

    @contextmanager
    def attempt(self, name: str) -> Iterator[Path]:
        folder = self.path / ".attempts" / uuid.uuid4().hex
        folder.mkdir(parents=True)
        made, to = folder / name, self.path / name
        try:
            yield made
            try:
                if made.exists():
                    os.replace(made, to)
            except OSError:
                # A folder of a complete attempt is not empty, and stays.
                if not to.is_dir():
                    raise
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    @contextmanager
    def on_this_machine(self) -> Iterator[LocalFolder]:
        yield self

    def for_spark(self, name: str) -> str:
        # What a bare path means depends on the configuration of Hadoop.
        return (self.path / name).as_uri()


class RemoteFolder(StepFolder):
    """A prefix of a bucket, or a folder of HDFS. Steps put their files there as a whole."""

    def __init__(self, address: str) -> None:
        self.given: str = address.rstrip("/")
        # The names that Hadoop has for the same buckets.
        self.address: str = f"s3{self.given[3:]}" if self.given.startswith(("s3a://", "s3n://")) else self.given

    @property
    def _objects(self) -> _Objects:
        # Opened for each use: tasks are pickled, and run in forked processes.
        return _Objects(self.address)

    def place(self, name: str) -> str:
        return f"{self.address}/{name}"

    def list_files(self) -> dict[str, int]:
        return self._objects.list()

    def read(self, name: str) -> bytes | None:
        return self._objects.get(name)

    def write(self, name: str, contents: bytes) -> None:
        self._objects.put(name, contents)

    def remove(self) -> None:
        objects = self._objects
        for name in objects.list():
            if _OWN.fullmatch(name.split("/")[0]):
                objects.delete(name)

    @contextmanager
    def attempt(self, name: str) -> Iterator[str]:
        yield self.place(name)

    @contextmanager
    def on_this_machine(self) -> Iterator[LocalFolder]:
        with tempfile.TemporaryDirectory(prefix="sitegrove-") as folder:
            yield LocalFolder(folder)

    def for_spark(self, name: str) -> str:
        return f"{self.given}/{name}"
