"""Whole runs: the program's `run`, and what is in a run folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from importlib import import_module
from inspect import signature
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from . import _sitegrove
from ._sitegrove import Progress, RecordBatchReader, Settings
from .errors import InputError, SettingsError, SitegroveError

__all__ = ["RunResult", "read_run", "run"]

_Path = str | PathLike[str]


class RunResult:
    """A run folder: what a run gave.

    Made by `run` and `read_run`.

    Attributes
    ----------
    place : str
        The path of the folder, or its address.
    ledger : dict
        What is in ``ledger.json``: counts, drops by reason, inputs, times (``docs/FORMATS.md``).
    """

    def __init__(self, place: _Path, ledger: dict[str, Any]) -> None:
        self.place: str = fspath(place)
        self.ledger: dict[str, Any] = ledger

    @property
    def path(self) -> Path:
        """The folder. At an address there is none: programs that read addresses read its files (``InputError``)."""
        if "://" in self.place:
            message = f"{self.place}: results at an address are not read here; read articles.parquet there, with polars for one"
            raise InputError(message, self.place)
        return Path(self.place)

    @property
    def counts(self) -> dict[str, int]:
        """Numbers of ``sites``, ``pages``, ``articles``, ``dropped`` and others."""
        return dict(self.ledger["counts"])

    @property
    def unreadable(self) -> list[str]:
        """What is wrong with inputs that could not be read to their end, or of which no record could be read."""
        empty = [record["file"] for record in self.ledger["inputs"] if not record["records"]]
        return [*self.ledger["unreadable"], *(f"{file} contains no record of an archive" for file in empty)]

    @property
    def failed_sinks(self) -> dict[str, str]:
        """Outputs that could not be written, with the error; `run` raises it, `read_run` does not."""
        return dict(self.ledger["failed_sinks"])

    def articles(self) -> RecordBatchReader:
        """Read the articles as Arrow record batches.

        Returns
        -------
        RecordBatchReader
            The fields of ``articles.parquet`` (``docs/FORMATS.md``), one row an article.

        Raises
        ------
        InputError
            If the run wrote no ``articles.jsonl``: its sinks did not have ``jsonl``.
        """
        for name in ("articles.jsonl", "articles.jsonl.zst"):
            if (self.path / name).exists():
                return _sitegrove._read_lines(self.path / name, True)
        message = f"{self.path} has no articles.jsonl: run with sinks=['jsonl'], or read its articles.parquet"
        raise InputError(message, str(self.path))

    def dropped(self) -> RecordBatchReader:
        """Read what was left out as Arrow record batches.

        Returns
        -------
        RecordBatchReader
            Columns ``stage``, ``reason``, ``url``, ``site``, ``detail``, ``origin``.
        """
        return _sitegrove._read_lines(self.path / "dropped.jsonl", False)

    def wrappers(self) -> dict[str, dict[str, Any]]:
        """Read templates and wrappers by site, as ``wrappers/SITE.json`` has them; of sites of which something was learnt."""
        lines = self.path / "wrappers.jsonl"
        if lines.exists():
            texts = lines.read_bytes().splitlines()
        else:
            texts = [path.read_bytes() for path in sorted((self.path / "wrappers").glob("*.json"))]
        records = map(json.loads, texts)
        return {record["site"]: record for record in records}

    def health(self) -> list[dict[str, Any]]:
        """Read how the sites were, as ``health.jsonl`` has them; empty for a run without ``models``."""
        file = self.path / "health.jsonl"
        return [json.loads(line) for line in file.read_bytes().splitlines()] if file.exists() else []

    def __repr__(self) -> str:
        counts = self.counts
        return f"<RunResult {self.place}: {counts['articles']} articles from {counts['pages']} pages>"


def run(
    inputs: _Path | Iterable[_Path],
    out: _Path,
    *,
    feeds: _Path | Iterable[_Path] = (),
    input_base: _Path | None = None,
    sinks: Iterable[str] | None = None,
    jobs: int | None = None,
    memory: str | None = None,
    models: _Path | None = None,
    overwrite: bool = False,
    progress: Callable[[Progress], object] | bool | None = None,
    settings: Settings | None = None,
    **tables: dict[str, Any],
) -> RunResult:
    """Turn a crawl into articles: the same as ``sitegrove run``.

    Calling it again resumes a run that was stopped, and does nothing if the run is complete.

    Parameters
    ----------
    inputs : path or iterable of path
        WARC files, HTML files, folders of either, globs, index tables, tables of pages. If empty, those of the
        settings (``run.inputs``).
    out : path
        Folder for the results: absent, empty, or of an earlier run of the same inputs and settings. Or an address,
        ``s3://BUCKET/PREFIX`` or ``hdfs://HOST:PORT/FOLDER``.
    feeds : path or iterable of path
        RSS, Atom and JSON Feed files, folders, globs. If empty, those of the settings (``run.feeds``).
    input_base : path, optional
        Folder or address that the archives named in index tables are relative to.
    sinks : iterable of str, optional
        Outputs: ``jsonl``, ``csv``, ``parquet``, ``sqlite``, ``index``, ``report`` and others; by default
        ``jsonl`` and ``report``.
    jobs : int, optional
        Threads; one for each core, if not given. They end with the call.
    memory : str, optional
        Memory to take, like ``"4GB"``; half of the machine's, if not given.
    models : path, optional
        A store of site models that grows from night to night; it is made where it is not there. `open_models`
        reads it, and `RunResult.health` tells how sites were.
    overwrite : bool
        Whether another run in `out` may be replaced.
    progress : callable or bool, optional
        Called with a `Progress` about 20 times a second, in the calling thread; what it raises stops the run.
        True shows a bar of tqdm, if that is installed.
    settings : Settings, optional
        The defaults, if not given.
    **tables : dict
        Other settings, by the tables of the configuration file: ``emit={"markdown": True}``.

    Returns
    -------
    RunResult
        `RunResult.unreadable` names inputs that are cut short, or no archives: the others were read.

    Raises
    ------
    InputError
        If an input is not there or cannot be read.
    SettingsError
        If a setting is not known.
    SitegroveError
        If `out` holds something else, or outputs cannot be written: the others are complete, and the same call writes
        those.
    KeyboardInterrupt
        On Ctrl-C: what was done is kept, and the same call resumes from there.
    """
    for name, given in tables.items():
        if not isinstance(given, Mapping):
            raise SettingsError(_unknown_argument(name))
    all_tables: dict[str, dict[str, Any]] = {name: dict(table) for name, table in tables.items()}
    for table, key, value in (
        ("emit", "sinks", None if sinks is None else list(sinks)),
        ("run", "input_base", None if input_base is None else fspath(input_base)),
        ("run", "jobs", jobs),
        ("run", "memory", memory),
        ("run", "models", None if models is None else fspath(models)),
    ):
        if value is not None:
            all_tables.setdefault(table, {})[key] = value
    emit = all_tables.get("emit", {})
    chosen = emit.get("sinks") or (settings or Settings())["emit"]["sinks"]
    for key, sink in (("archive", "sqlite"), ("index", "index"), ("dataset", "dataset")):
        if emit.get(key) and sink not in chosen:
            raise SettingsError(f"emit={{{key!r}: …}} needs the output {sink!r} in sinks")
    tell: Callable[[Progress], object] | None
    tell = _Bar() if progress is True else progress or None
    try:
        ledger = _sitegrove._run(_paths(inputs), out, _paths(feeds), overwrite, settings, all_tables, tell)
    finally:
        if isinstance(tell, _Bar):
            tell.close()
    return _finished(out, ledger)


def _finished(place: _Path, ledger: str) -> RunResult:
    """The result of a run or a merge that has ended; an exception if an output could not be written."""
    result = RunResult(place, json.loads(ledger))
    if failed := result.failed_sinks:
        problems = "; ".join(f"{name}: {problem}" for name, problem in failed.items())
        raise SitegroveError(
            f"{result.place}: outputs could not be written: {problems}; the others are complete, and the same call writes these"
        )
    return result


def read_run(path: _Path) -> RunResult:
    """Open the folder of a finished run.

    Parameters
    ----------
    path : path
        The folder.

    Returns
    -------
    RunResult

    Raises
    ------
    InputError
        If it does not exist or has no ``ledger.json``, or the run is not finished: it goes on, was stopped or was killed.
    """
    path = RunResult(path, {}).path
    if not Path(path).is_dir():
        raise InputError(f"{fspath(path)}: the folder does not exist", fspath(path))
    file = Path(path) / "ledger.json"
    try:
        ledger = json.loads(file.read_bytes())
    except (OSError, ValueError) as error:
        raise InputError(f"{fspath(path)} holds no finished run: {error}", str(file)) from error
    if ledger.get("state") != "complete":
        message = f"{fspath(path)} holds a run that is not finished ({ledger.get('state')}); the same call of run() resumes it"
        raise InputError(f"{message}, unless a program still works on it", str(file))
    return RunResult(path, ledger)


def _unknown_argument(name: str) -> str:
    """Say that `run` has no argument of this name, and what may be meant."""
    message = f"run() has no argument {name!r}, and settings are given by table, as in emit={{'markdown': True}}"
    arguments = [own for own, of in signature(run).parameters.items() if of.kind is not of.VAR_KEYWORD]
    tables = [table for table, keys in Settings().to_dict().items() if isinstance(keys, dict) and name in keys]
    if close := get_close_matches(name, arguments, 1):
        return f"{message}; did you mean {close[0]!r}?"
    if tables:
        return f"{message}; did you mean {tables[0]}={{{name!r}: …}}?"
    return message


def _paths(paths: _Path | Iterable[_Path]) -> list[_Path]:
    return [paths] if isinstance(paths, (str, PathLike)) else list(paths)


class _Bar:
    """A bar of tqdm; nothing where that is not installed."""

    def __init__(self) -> None:
        try:
            tqdm = import_module("tqdm.auto").tqdm
        except ImportError:
            self.bar: Any = None
        else:
            self.bar = tqdm(unit="B", unit_scale=True, desc="reading", leave=False)

    def __call__(self, progress: Progress) -> None:
        if self.bar is None:
            return
        if progress.phase == "learning" and self.bar.desc != "learning":
            self.bar.set_description("learning", refresh=False)
            self.bar.unit, self.bar.unit_scale, self.bar.n = " pages", False, 0
        learning = progress.phase == "learning"
        self.bar.total = progress.pages if learning else progress.bytes
        self.bar.update((progress.pages_done if learning else progress.bytes_read) - self.bar.n)

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()
