"""432 mutated archives: none crashes the program, and no intact record is lost.

Nine base archives of ten pages each (mutated/bases.py), each with 48 kinds of damage from a fixed seed (mutated/mutations.py). A run
ends with exit code 0 or 1 within a minute, without a panic. It reads every record that the damage did not affect, and every record that
warcio or FastWARC reads with its address and every byte. The only exception is a record head of over a mebibyte, which counts as damage
here (read.max_head_bytes).
"""
import json
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from conftest import read_lines
from mutated import bases, mutations

pytestmark = pytest.mark.long
PEERS = ("warcio", "fastwarc")
READ_BY_PEER = Path(__file__).parent / "mutated/peer.py"


def read_with_peers(files):
    """The records that each peer reads from each file: one process per peer, and a new one after a file that crashes it."""
    found = defaultdict(dict)
    for peer in PEERS:
        left = list(files)
        while left:
            done = subprocess.run([sys.executable, READ_BY_PEER, peer, *left], capture_output=True, text=True)
            lines = [json.loads(line) for line in done.stdout.splitlines()]
            for file, line in zip(left, lines):
                found[file][peer] = set(map(tuple, line))
            # A file that crashes the peer gives nothing.
            left = left[len(lines) + 1 :]
    return found


@pytest.fixture
def read(sitegrove, tmp_path):
    """The intact records that the program reads of a file."""

    def call(file, case):
        out = tmp_path / "out"
        done = sitegrove("run", file, "--out", out, "--overwrite", "--sinks", "jsonl", "--jobs", "1", codes=(0, 1), timeout=60)
        assert "panicked" not in done.stderr and "internal-error" not in json.loads((out / "ledger.json").read_text())["drops"]
        texts = {article["url"]: article["text"] for article in read_lines(out / "articles.jsonl")}
        return {n for n, record in enumerate(case.records) if record.text in texts.get(record.url, "")}

    return call


@pytest.mark.parametrize("base", bases.BASES, ids=lambda base: base.name + base.suffix)
def test_mutated_archive(base, read, option, problems, tmp_path):
    case, path = mutations.mutate(None, base, ""), tmp_path / f"undamaged{base.suffix}"
    path.write_bytes(case.bytes)
    assert read(path, case) == case.spared
    cases, totals = {}, Counter()
    for number, mutation in enumerate(mutations.MUTATIONS):
        path = tmp_path / f"{base.name}.{mutation}{base.suffix}"
        if option.only in path.name:
            cases[path] = mutations.mutate(mutation, base, f"{option.seed} {base.name} {number}")
            path.write_bytes(cases[path].bytes)
    by_peers = read_with_peers(cases)
    for path, case in cases.items():
        try:
            found = read(path, case)
        except (AssertionError, subprocess.TimeoutExpired) as error:
            problems.append(f"{path.name}: {error}")
            continue
        wanted = {"intact": case.spared}
        for peer, records in by_peers[path].items():
            wanted[peer] = {n for n, record in enumerate(case.records) if record.known & records}
            totals[peer] += len(wanted[peer])
        totals["sitegrove"] += len(found)
        for who, records in wanted.items():
            if lost := sorted(records - found - case.excused):
                problems.append(f"{path.name}: {who}: {lost} of ten not read by us")
    print(f"of {10 * len(cases)} records: {dict(totals)}")
