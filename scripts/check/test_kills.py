"""Runs give the same bytes with any threads, order and memory, and wherever they are killed (SIGKILL) and resumed.

All files are compared except those with times and paths. Nights with --models, --archive and --index leave the same model store, archive
and index: compared are all rows with their ids, and the documents of the index as `sitegrove search` gives them.
"""
import hashlib
import random
import shutil
import sqlite3
import subprocess
import time

import pytest
from conftest import read_files

pytestmark = pytest.mark.long
TIMED = ("ledger.json", "report/")
DATABASES = ["models.sqlite", "archive.sqlite"]


def kill(command, moments):
    """Kills a command at each of these moments, in seconds from its start."""
    for moment in moments:
        child = subprocess.Popen(list(map(str, command)), stderr=subprocess.DEVNULL)
        time.sleep(moment)
        child.kill()
        child.wait()


def list_differences(one, other):
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))


def test_bytes(program, sitegrove, inputs, option, problems, tmp_path):
    chance, begun = random.Random(option.seed), time.monotonic()

    def arguments(out, own, flags):
        return ["run", *own, "--out", tmp_path / out, "--quiet", *flags]

    def compare(what, out):
        if names := list_differences(reference, read_files(tmp_path / out, TIMED)):
            problems.append(f"{what}: {', '.join(names[:5])}")
        shutil.rmtree(tmp_path / out)

    sitegrove(*arguments("reference", inputs, []))
    seconds, reference = time.monotonic() - begun, read_files(tmp_path / "reference", TIMED)
    for flags, own in [(["--jobs", "1"], inputs), (["--jobs", "2"], inputs), ([], inputs[::-1]), (["--memory", "1MiB"], inputs)]:
        sitegrove(*arguments("other", own, flags))
        compare(f"{own} {flags}", "other")
    for number in range(option.kills):
        flags = chance.choice([[], ["--jobs", "1"], ["--memory", "1MiB"]])
        moments = [chance.uniform(0.02, 1.0) * seconds for _ in range(chance.randint(1, 3))]
        kill([program, *arguments(f"killed-{number}", inputs, flags)], moments)
        sitegrove(*arguments(f"killed-{number}", inputs, flags))
        compare(f"killed after {moments} s {flags}", f"killed-{number}")
    print(f"{len(reference)} files, {option.kills} runs killed")


def read_night(sitegrove, place):
    """What is compared of a night, by name."""
    found = {"index": sitegrove("search", place / "index", "*", "--limit", "10000", "--format", "json").stdout}
    for name in DATABASES:
        # A database that was recovered has another change counter, so that its bytes are others.
        with sqlite3.connect(f"file:{place / name}?mode=ro", uri=True) as database:
            found[name] = hashlib.sha256("\n".join(database.iterdump()).encode()).digest()
    beside = {path.name for path in place.iterdir()} - {*DATABASES, "index", "out"}
    return found | read_files(place / "out", TIMED) | {f"left behind: {name}": "" for name in beside}


def test_stores(program, sitegrove, inputs, option, problems, tmp_path):
    """Two nights, the first of every other input. A third of the kills are in the last part of the run, where outputs are finished."""
    chance, references, expected, seconds = random.Random(option.seed), [], [], []

    def arguments(night, place):
        stores = ["--models", place / "models.sqlite", "--archive", place / "archive.sqlite", "--index", place / "index"]
        return ["run", *(inputs if night else inputs[::2]), "--out", place / "out", "--quiet", *stores]

    def begin(name, night):
        place = tmp_path / name
        if night:
            shutil.copytree(references[0], place, ignore=shutil.ignore_patterns("out"))
        else:
            place.mkdir()
        return place

    def compare(what, night, place):
        if names := list_differences(expected[night], read_night(sitegrove, place)):
            problems.append(f"{what}: {', '.join(names[:5])}")
        shutil.rmtree(place)

    for night in (0, 1):
        references.append(begin(f"night-{night}", night))
        begun = time.monotonic()
        sitegrove(*arguments(night, references[night]))
        seconds.append(time.monotonic() - begun)
        expected.append(read_night(sitegrove, references[night]))
    for number in range(2 * option.kills):
        night = number % 2
        place, first = begin(f"killed-{number}", night), 0.8 if number % 3 == 0 else 0.02
        moments = [chance.uniform(first, 1.02) * seconds[night] for _ in range(chance.randint(1, 3))]
        kill([program, *arguments(night, place)], moments)
        sitegrove(*arguments(night, place))
        compare(f"night {night + 1} killed after {moments} s", night, place)
    # Of two runs at the same time on one store, one waits for the other.
    place = begin("together", 1)
    first = subprocess.Popen([program, *map(str, arguments(1, place))], stderr=subprocess.DEVNULL)
    sitegrove("run", *inputs, "--out", place / "other", "--quiet", "--models", place / "models.sqlite")
    assert first.wait() == 0
    shutil.rmtree(place / "other")
    compare("two runs on one store at the same time", 1, place)
    print(f"{len(expected[1])} files and stores, {2 * option.kills} nights killed")
