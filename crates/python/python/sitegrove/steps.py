"""The steps of a distributed run, each from files to files: survey, learn, apply,
describe, merge.

Any number of processes, on any number of machines with a common file system or bucket, give the results of one
`sitegrove.run` on the same inputs. Files can be at addresses, ``s3://`` and ``hdfs://``. ``docs/CLUSTER.md`` says which step takes which files. `sitegrove.spark` and `sitegrove.datatrove`
call these functions.

>>> from sitegrove import steps
>>> steps.survey(["00.warc.gz"], "steps/survey-0.parquet")          # doctest: +SKIP
>>> steps.learn(["steps/survey-0.parquet"], "steps/learn.parquet")  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import NamedTuple

from ._run import RunResult, _finished, _paths
from ._sitegrove import Settings, _apply, _describe, _learn, _merge, _survey

__all__ = ["Applied", "Learnt", "Surveyed", "apply", "describe", "learn", "merge", "survey"]

_Path = str | PathLike[str]


class Surveyed(NamedTuple):
    """What a survey read."""

    pages: int
    """Pages, older captures included."""
    inputs: int
    """Inputs that were read."""
    unreadable: list[str]
    """Inputs that could not be read to their end, with the reason."""


class Learnt(NamedTuple):
    """What was learnt of a share of the sites."""

    round: int
    """1 or 2."""
    finished: int
    """Sites that were finished; none in the second round."""
    large: int
    """Larger sites."""
    further: int
    """In the second round, larger sites of which pages are left to do."""


class Applied(NamedTuple):
    """What models were applied to."""

    round: int
    """1 or 2."""
    pages: int
    """Pages of larger sites."""
    unassigned: int
    """Of these, pages that no template is for."""


def survey(
    inputs: _Path | Iterable[_Path], out: _Path, *, feeds: _Path | Iterable[_Path] = (), settings: Settings | None = None
) -> Surveyed:
    """Read archives, pages and feeds into a file.

    Parameters
    ----------
    inputs, feeds : path or list of path
        Archives, saved pages and folders of them; feeds. Every input of a crawl belongs to one survey.
    out : path
        The file to write. It appears when it is complete.
    settings : Settings, optional
        The same for all steps, outputs (``emit``) included. Inputs and feeds in them are not read.

    Raises
    ------
    SitegroveError
        If an input does not exist, none can be read, or the file cannot be written.
    """
    return Surveyed(*_survey(_paths(inputs), _paths(feeds), out, settings))


def learn(
    files: _Path | Iterable[_Path], out: _Path, *, share: tuple[int, int] = (1, 1), settings: Settings | None = None
) -> Learnt:
    """Learn a share of the sites of a crawl.

    Parameters
    ----------
    files : path or list of path
        All surveys of the crawl; for the second round, all files of the first round of `learn` and `apply`, too.
    out : path
        The file to write. It appears when it is complete.
    share : (int, int)
        Number of the share, from 1, and how many there are.
    settings : Settings, optional
        The same for all steps.

    Raises
    ------
    SitegroveError
        If files are missing, do not belong together, or cannot be read or written.
    """
    return Learnt(*_learn(_paths(files), f"{share[0]}/{share[1]}", out, settings))


def apply(files: _Path | Iterable[_Path], out: _Path, *, settings: Settings | None = None) -> Applied:
    """Apply the models of larger sites to the pages of surveys.

    Parameters
    ----------
    files : path or list of path
        One survey or more, and all files of `learn`.
    out : path
        The file to write. It appears when it is complete.
    settings : Settings, optional
        The same for all steps.

    Raises
    ------
    SitegroveError
        As `learn`.
    """
    return Applied(*_apply(_paths(files), out, settings))


def describe(
    files: _Path | Iterable[_Path], out: _Path, *, share: tuple[int, int] = (1, 1), settings: Settings | None = None
) -> int:
    """Describe the articles of a share of the sites, where several processes merge.

    Duplicates are looked for among the articles of all shares, so each of these processes needs the descriptions of all.

    Parameters
    ----------
    files : path or list of path
        All files of `survey`, `learn` and `apply`, in any order.
    out : path
        The file to write. It appears when it is complete.
    share : (int, int)
        Number of the share, from 1, and how many there are.
    settings : Settings, optional
        The same for all steps.

    Returns
    -------
    int
        Number of articles; 0 if neither duplicates nor shared text are looked for.

    Raises
    ------
    SitegroveError
        As `learn`.
    """
    return _describe(_paths(files), f"{share[0]}/{share[1]}", out, settings)


def merge(
    files: _Path | Iterable[_Path],
    out: _Path,
    *,
    share: tuple[int, int] = (1, 1),
    overwrite: bool = False,
    settings: Settings | None = None,
) -> RunResult:
    """Write the results of a crawl, or of a share of its sites, to a run folder.

    Parameters
    ----------
    files : path or list of path
        All files of all steps, in any order. Shares need those of `describe`, too, unless neither duplicates nor shared text are looked for.
    out : path
        The folder.
    share : (int, int)
        Number of the share, from 1, and how many there are. All shares together are the whole.
    overwrite : bool
        Whether results in the folder may be replaced.
    settings : Settings, optional
        The same for all steps; ``emit`` says which outputs to write.

    Raises
    ------
    SitegroveError
        As `learn`, or if the folder holds something else, or an output cannot be written.
    """
    return _finished(out, _merge(_paths(files), f"{share[0]}/{share[1]}", out, overwrite, settings))
