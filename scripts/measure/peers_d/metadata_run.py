"""Runs peers for metadata over WARC files: see scripts/measure/peers-metadata, which sets up the environment."""
import argparse
import gzip
import json
import os
import sys
from importlib.metadata import version
from pathlib import Path

from metadata_extractors import EXTRACTORS
from pages import pages
from process import HERE, PeerProcess
from run import progress, whole_file

FIELDS = ("gold_title", "gold_author", "gold_date")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/measure/peers-metadata", description="See scripts/measure/peers-metadata --help.")
    parser.add_argument("gold", metavar="GOLD")
    parser.add_argument("warcs", nargs="+", metavar="WARC")
    parser.add_argument("--out", required=True, type=Path, metavar="DIR")
    parser.add_argument("--only", type=lambda names: names.split(","), metavar="PEER,PEER")
    parser.add_argument("--limit", type=float, default=30.0, metavar="SECONDS")
    args = parser.parse_args()
    for name in args.only or ():
        if name not in EXTRACTORS:
            parser.error(f"no peer {name!r}; there are {', '.join(EXTRACTORS)}")
    for path in (args.gold, *args.warcs):
        if not os.path.isfile(path):
            parser.error(f"no file {path}")
    return args


def wanted_urls(path: str) -> set[str]:
    """The pages of the gold that have any metadata."""
    with open(path, "rb") as file:
        is_gzip = file.read(2) == b"\x1f\x8b"
    with gzip.open(path, "rt", encoding="utf-8") if is_gzip else open(path, encoding="utf-8") as lines:
        gold = [json.loads(line) for line in lines if line.strip()]
    return {page["url"] for page in gold if any(page.get(field) for field in FIELDS)}


def run_peer(name: str, args: argparse.Namespace, wanted: set[str], unreadable: list[str]) -> dict:
    """Writes the peer's records. Returns its row of the table."""
    process = PeerProcess([sys.executable, str(HERE / "metadata_worker.py"), name], args.limit)
    row = {"peer": name, "version": version(name), "pages": 0, "failed": 0, "cpu_seconds": 0.0}
    with whole_file(args.out / f"{name}.jsonl") as out:
        for page in pages(args.warcs, unreadable):
            if page.url not in wanted:
                continue
            answer = process.extract(page.html, url=page.url)
            found = answer.get("metadata") or {"title": None, "authors": [], "published": None}
            record = {"url": page.url, **found, "seconds": round(answer["seconds"], 6)}
            out.write(json.dumps(record, ensure_ascii=False) + "\n")
            row["pages"] += 1
            row["cpu_seconds"] += answer["seconds"]
            if "error" in answer:
                row["failed"] += 1
                print(f"{name}: {page.url}: {' '.join(answer['error'].split())[:200]}", file=sys.stderr)
            progress(f"{name}: {row['pages']} pages")
    process.stop()
    progress("")
    return row


def main() -> int:
    args = arguments()
    args.out.mkdir(parents=True, exist_ok=True)
    wanted = wanted_urls(args.gold)
    unreadable: list[str] = []
    print("| peer | version | pages | failed | CPU s |\n|---|---|--:|--:|--:|")
    for name in args.only or EXTRACTORS:
        row = run_peer(name, args, wanted, unreadable)
        print(f"| {name} | {row['version']} | {row['pages']} | {row['failed']} | {row['cpu_seconds']:.1f} |", flush=True)
    return 1 if unreadable else 0


if __name__ == "__main__":
    sys.exit(main())
