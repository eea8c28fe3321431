"""Runs peers over WARC files: see scripts/measure/peers, which sets up the environment."""
import argparse
import json
import os
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import Iterator

from extractors import EXTRACTORS
from pages import pages
from process import HERE, PeerProcess, python_peer

DOM_SMOOTHIE = "dom_smoothie"
PEERS = (*EXTRACTORS, DOM_SMOOTHIE)
FAILURES_SHOWN = 20
# Load per core above which the machine is not idle enough for speed measurements.
BUSY_A_CORE = 0.5


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/measure/peers", description="See scripts/measure/peers --help.")
    parser.add_argument("warcs", nargs="+", metavar="WARC")
    parser.add_argument("--out", required=True, type=Path, metavar="DIR")
    parser.add_argument("--only", type=lambda names: names.split(","), metavar="PEER,PEER")
    parser.add_argument("--limit", type=float, default=30.0, metavar="SECONDS")
    args = parser.parse_args()
    for name in args.only or ():
        if name not in PEERS:
            parser.error(f"no peer {name!r}; there are {', '.join(PEERS)}")
    for path in args.warcs:
        if not os.path.isfile(path):
            parser.error(f"no file {path}")
    return args


def peer_version(name: str) -> str:
    if name == DOM_SMOOTHIE:
        lock = tomllib.loads((HERE.parent / "peers-dom-smoothie" / "Cargo.lock").read_text(encoding="utf-8"))
        return next(package["version"] for package in lock["package"] if package["name"] == name)
    return version(name.removesuffix("-precision"))


def command_of(name: str) -> list[str] | None:
    """The command of the peer, or None for the Rust peer if it was not built."""
    if name != DOM_SMOOTHIE:
        return python_peer(name)
    program = os.environ.get("DOM_SMOOTHIE")
    return [program] if program else None


def run_peer(name: str, args: argparse.Namespace, unreadable: list[str]) -> dict:
    """Writes the peer's pages. Returns its row of speed.json."""
    process = PeerProcess(command_of(name), args.limit)
    row = {"peer": name, "version": peer_version(name), "pages": 0, "failed": 0, "empty": 0, "html_bytes": 0}
    row |= {"cpu_seconds": 0.0, "failures": []}
    with whole_file(args.out / f"{name}.jsonl") as out:
        for page in pages(args.warcs, unreadable):
            answer = process.extract(page.html)
            record = {"url": page.url, "text": answer.get("text") or "", "seconds": round(answer["seconds"], 6)}
            out.write(json.dumps(record, ensure_ascii=False) + "\n")
            count(row, page, answer)
            progress(f"{name}: {row['pages']} pages")
    process.stop()
    progress("")
    row["cpu_seconds"] = round(row["cpu_seconds"], 4)
    row["mb_per_second"] = round(row["html_bytes"] / 1e6 / row["cpu_seconds"], 2) if row["cpu_seconds"] else None
    return row


def count(row: dict, page, answer: dict) -> None:
    row["pages"] += 1
    row["html_bytes"] += page.size
    row["cpu_seconds"] += answer["seconds"]
    if "error" in answer:
        row["failed"] += 1
        if len(row["failures"]) < FAILURES_SHOWN:
            row["failures"].append({"url": page.url, "error": answer["error"][:300]})
    elif not answer["text"].strip():
        row["empty"] += 1


class whole_file:
    """A file that appears complete or not at all."""

    def __init__(self, path: Path):
        self.path, self.part = path, path.with_name(path.name + ".part")

    def __enter__(self):
        self.file = open(self.part, "w", encoding="utf-8", newline="\n")
        return self.file

    def __exit__(self, kind, *_):
        self.file.close()
        if kind is None:
            os.replace(self.part, self.path)
        else:
            self.part.unlink()


def progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def table(rows: list[dict]) -> Iterator[str]:
    yield "| peer | version | pages | failed | empty | MB of html | CPU s | MB/s |"
    yield "|---|---|--:|--:|--:|--:|--:|--:|"
    for row in rows:
        speed = "–" if row["mb_per_second"] is None else f"{row['mb_per_second']:.1f}"
        yield (
            f"| {row['peer']} | {row['version']} | {row['pages']} | {row['failed']} | {row['empty']} "
            f"| {row['html_bytes'] / 1e6:.1f} | {row['cpu_seconds']:.1f} | {speed} |"
        )


def machine(load_before: float) -> dict:
    return {
        "python": sys.version.split()[0],
        "cpu": cpu_name(),
        "cores": os.cpu_count(),
        "load_before": round(load_before, 2),
        "load_after": round(os.getloadavg()[0], 2),
    }


def cpu_name() -> str:
    try:
        info = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return "unknown"
    names = [line.split(":", 1)[1].strip() for line in info.splitlines() if line.startswith("model name")]
    return names[0] if names else "unknown"


def note(about: dict) -> str:
    text = f"html bytes by CPU seconds of the extraction alone, one thread, on {about['cores']} × {about['cpu']}"
    # One of them is this measurement itself.
    others = max(about["load_before"], about["load_after"] - 1)
    if others > BUSY_A_CORE * about["cores"]:
        text += f"; others used the machine (load {about['load_before']} before): repeat on an idle one before quoting"
    return text + "."


def main() -> int:
    args = arguments()
    args.out.mkdir(parents=True, exist_ok=True)
    load_before = os.getloadavg()[0]
    chosen = [name for name in PEERS if name in (args.only or PEERS) and command_of(name)]
    unreadable: list[str] = []
    rows = [run_peer(name, args, unreadable) for name in chosen]
    about = machine(load_before)
    with whole_file(args.out / "speed.json") as out:
        json.dump({"machine": about, "peers": rows}, out, indent=2, ensure_ascii=False)
        out.write("\n")
    print("\n".join(table(rows)))
    print(f"\n{note(about)}")
    return 1 if unreadable or os.environ.get("DOM_SMOOTHIE_FAILED") else 0


if __name__ == "__main__":
    sys.exit(main())
