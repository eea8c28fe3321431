"""Where the files of steps are, and how a task that may be repeated writes them."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["APPLY", "DESCRIBE", "LEARN", "MERGE", "SURVEY", "attempt", "files_of", "named"]

SURVEY, LEARN, APPLY, DESCRIBE, MERGE = "survey", "learn", "apply", "describe", "merged"


def named(steps: Path, step: str, round: int, number: int) -> Path:
    """The file, or the run folder, of a task."""
    name = f"{step}-{round}-{number:06}"
    return steps / (name if step == MERGE else f"{name}.parquet")


def files_of(steps: Path, *wanted: tuple[str, int]) -> list[Path]:
    """All files of steps and rounds, in order. An empty one stands for a task that had nothing to read."""
    found = [path for step, round in wanted for path in sorted(steps.glob(f"{step}-{round}-*.parquet"))]
    return [path for path in found if path.stat().st_size > 0]


@contextmanager
def attempt(to: Path) -> Iterator[Path]:
    """A path for one attempt at a file or folder, which takes the place of what another attempt left, at once.

    Attempts at one task write the same; the first that is complete counts.
    """
    folder = to.parent / ".attempts" / uuid.uuid4().hex
    folder.mkdir(parents=True)
    try:
        made = folder / to.name
        yield made
        try:
            os.replace(made, to)
        except OSError:
            # A folder of a complete attempt is not empty, and stays.
            if not to.is_dir():
                raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)
