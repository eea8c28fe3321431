"""Runs sitegrove and peers over archives in turn: see scripts/measure/bench-peers, which sets up the environment."""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

from process import ENVIRONMENT, HERE
from run import cpu_name

OURS = "sitegrove"
PEERS = ("resiliparse", "trafilatura")
SLOW = ("trafilatura",)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/measure/bench-peers", description="See scripts/measure/bench-peers --help.")
    parser.add_argument("warcs", nargs="+", metavar="WARC")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--binary", type=Path, default=HERE.parents[1] / "target/release/sitegrove")
    parser.add_argument("--slow-pages", type=int, default=200)
    parser.add_argument("--only", type=lambda names: names.split(","), default=list(PEERS))
    parser.add_argument("--cpu", type=int, default=max(os.sched_getaffinity(0)))
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    for name in args.only:
        if name not in PEERS:
            parser.error(f"no peer {name!r}; there are {', '.join(PEERS)}")
    if args.rounds < 1 or args.slow_pages < 0:
        parser.error("--rounds begins at 1, --slow-pages at 0")
    if args.cpu not in os.sched_getaffinity(0):
        parser.error(f"no core {args.cpu} for this process")
    for path in (*args.warcs, args.binary):
        if not os.path.isfile(path):
            parser.error(f"no file {path}")
    return args


class Measured:
    """A process run alone on one core, with its output, wall and CPU seconds, and peak memory."""

    def __init__(self, command: list, cpu: int):
        begun = time.monotonic()
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            env=os.environ | ENVIRONMENT,
            preexec_fn=lambda: os.sched_setaffinity(0, {cpu}),
        )
        self.output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        self.seconds = time.monotonic() - begun
        self.code = process.returncode = os.waitstatus_to_exitcode(status)
        self.cpu_seconds = usage.ru_utime + usage.ru_stime
        self.peak = usage.ru_maxrss * 1024


def run_ours(args: argparse.Namespace, out: Path) -> dict:
    command = [args.binary, "run", *args.warcs, "--out", out, "--jobs", "1", "--quiet", "--sinks", "jsonl"]
    ran = Measured(command, args.cpu)
    if ran.code not in (0, 1):
        raise RuntimeError(f"sitegrove ended with {ran.code}")
    ledger = json.loads((out / "ledger.json").read_text(encoding="utf-8"))
    row = {"pages": ledger["counts"]["pages"], "html_bytes": sum(file["html_bytes"] for file in ledger["inputs"])}
    row |= {"texts": 0, "characters": 0, "failed": 0, "seconds": ran.seconds, "cpu_seconds": ran.cpu_seconds}
    with open(out / "articles.jsonl", encoding="utf-8") as articles:
        for line in articles:
            text = json.loads(line)["text"]
            row["texts"] += bool(text.strip())
            row["characters"] += len(text)
    return row | {"peak_rss_bytes": ran.peak}


def run_peer(name: str, args: argparse.Namespace, folder: Path, html_bytes: int) -> dict:
    pages = args.slow_pages if name in SLOW else 0
    command = [sys.executable, "-B", HERE / "archives_to_texts.py", name, folder / f"{name}.jsonl", str(pages), *args.warcs]
    ran = Measured(command, args.cpu)
    if ran.code:
        raise RuntimeError(f"{name} ended with {ran.code}")
    row = json.loads(ran.output)
    return row | {"html_bytes": row["html_bytes"] or html_bytes, "peak_rss_bytes": ran.peak}


def rates(row: dict) -> dict:
    megabytes = row["html_bytes"] / 1e6
    return row | {"mb_per_second": megabytes / row["seconds"], "mb_per_cpu_second": megabytes / row["cpu_seconds"]}


def spread(values: list[float], digits: int = 1) -> str:
    middle, low, high = statistics.median(values), min(values), max(values)
    return f"{middle:.{digits}f} ({low:.{digits}f}–{high:.{digits}f})"


def table(rounds: list[dict[str, dict]], versions: dict[str, str]):
    yield "| | pages | texts | characters | MB of html | s | CPU s | MB/s | MB/CPU s | peak MiB | ours is faster by | by CPU s |"
    yield "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    for name in rounds[0]:
        rows = [each[name] for each in rounds]
        last = rows[-1]
        ratios = [spread([each[OURS][rate] / each[name][rate] for each in rounds], 2) for rate in ("mb_per_second", "mb_per_cpu_second")]
        yield (
            f"| {name} {versions[name]} | {last['pages']} | {last['texts']} | {last['characters']} | {last['html_bytes'] / 1e6:.1f} "
            f"| {spread([row['seconds'] for row in rows], 2)} | {spread([row['cpu_seconds'] for row in rows], 2)} "
            f"| {spread([row['mb_per_second'] for row in rows])} | {spread([row['mb_per_cpu_second'] for row in rows])} "
            f"| {statistics.median(row['peak_rss_bytes'] for row in rows) / 2**20:.0f} | {' | ' if name == OURS else ' | '.join(ratios)} |"
        )


def differences(last: dict[str, dict]):
    """Differences between the work of the programs, which make their figures incomparable."""
    for name, row in last.items():
        seen = row.get("of_pages", row["pages"])
        if seen != last[OURS]["pages"]:
            yield f"{name} sees {seen} pages, sitegrove {last[OURS]['pages']}"
        if row["failed"]:
            yield f"{name} failed on {row['failed']} of {row['pages']} pages"


def main() -> int:
    args = arguments()
    load = os.getloadavg()[0]
    rounds = []
    with tempfile.TemporaryDirectory(prefix="sitegrove-bench-peers-") as folder:
        for number in range(args.rounds):
            # Each into a separate folder, and none is deleted before the end: ext4 is slow to create files
            # where others were just deleted.
            rows = {OURS: rates(run_ours(args, Path(folder) / f"run-{number + 1}"))}
            for name in args.only:
                rows[name] = rates(run_peer(name, args, Path(folder), rows[OURS]["html_bytes"]))
            rounds.append(rows)
            print(f"round {number + 1}: " + ", ".join(f"{name} {row['mb_per_second']:.1f} MB/s" for name, row in rows.items()), file=sys.stderr)
    words = subprocess.run([args.binary, "--version"], capture_output=True, text=True).stdout.split()
    versions = {OURS: words[-1] if words else ""} | {name: version(name) for name in args.only}
    versions |= {"resiliparse": f"{version('resiliparse')}, fastwarc {version('fastwarc')}"} if "resiliparse" in args.only else {}
    found = list(differences(rounds[-1]))
    print("\n".join(table(rounds, versions)))
    print(f"\nMedian (least–most) of {args.rounds} rounds in turn, one core of {cpu_name()}; load {load:.1f} before.")
    for name in set(args.only) & set(SLOW) if args.slow_pages else ():
        print(f"{name}: on {rounds[-1][name]['pages']} of {rounds[-1][name]['of_pages']} pages, taken evenly; extraction alone.")
    for difference in found:
        print(f"scripts/measure/bench-peers: {difference}", file=sys.stderr)
    if args.json:
        about = {"cpu": cpu_name(), "cores": os.cpu_count(), "load_before": round(load, 2), "versions": versions, "rounds": rounds}
        args.json.write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
    return 1 if found else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, RuntimeError) as error:
        print(f"scripts/measure/bench-peers: {error}", file=sys.stderr)
        sys.exit(2)
