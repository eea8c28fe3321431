"""Archives in, texts out, with one peer, in one process and thread, as in a program that uses the peer.

usage: archives_to_texts.py PEER OUT.jsonl PAGES WARC...

PAGES: 0 for all; else this number, evenly distributed, read before the timing starts. Prints one line of JSON: pages seen,
texts, characters, failures, wall and CPU seconds from the first record on, and for a subset of the pages their html bytes.
"""
import json
import sys
import time
from typing import Iterator

import pages as selection
from extractors import EXTRACTORS, RESILIPARSE_OPTIONS
from fastwarc.warc import ArchiveIterator, WarcRecordType


def payloads(paths: list[str]) -> Iterator[tuple[str, bytes, str | None]]:
    """Address, payload and HTTP charset of each page: the same as in pages.py, read with FastWARC's own accessors."""
    for path in paths:
        with open(path, "rb") as stream:
            for record in ArchiveIterator(stream, record_types=WarcRecordType.response, parse_http=False):
                record.parse_http(auto_decode="all")
                head = record.http_headers
                if head is None or head.status_code not in selection.STATUSES:
                    continue
                media_type = (record.http_content_type or "").lower()
                if "/" in media_type and media_type not in selection.UNTOLD_TYPES and media_type not in selection.HTML_TYPES:
                    continue
                payload = record.reader.read()
                if payload.strip() and selection.is_html(media_type, payload):
                    yield record.headers["WARC-Target-URI"], payload, record.http_charset


def by_resiliparse():
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import detect_encoding
    from resiliparse.parse.html import HTMLTree

    def extract(payload: bytes, charset: str | None) -> str:
        tree = HTMLTree.parse_from_bytes(payload, charset or detect_encoding(payload))
        return extract_plain_text(tree, **RESILIPARSE_OPTIONS)

    return extract


def by_text(name: str):
    extract = EXTRACTORS[name]()
    return lambda payload, charset: extract(selection.decode(payload, charset))


def main() -> None:
    peer, out, wanted, paths = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]
    extract = by_resiliparse() if peer == "resiliparse" else by_text(peer)
    extract(b"<html><body><article><p>" + b"A sentence that is long enough, with a comma. " * 20, "utf-8")
    row = {"pages": 0, "texts": 0, "characters": 0, "failed": 0, "html_bytes": None}
    source = payloads(paths)
    if wanted:
        every = list(source)
        row["of_pages"] = len(every)
        source = [every[len(every) * k // wanted] for k in range(wanted)] if wanted < len(every) else every
        row["html_bytes"] = sum(len(selection.decode(payload, charset).encode()) for _, payload, charset in source)
        del every
    wall, cpu = time.monotonic(), time.process_time()
    with open(out, "w", encoding="utf-8", newline="\n") as file:
        for url, payload, charset in source:
            row["pages"] += 1
            try:
                text = extract(payload, charset)
            except Exception:  # any exception of a peer counts as a failure on this page
                row["failed"] += 1
                continue
            row["texts"] += bool(text.strip())
            row["characters"] += len(text)
            file.write(json.dumps({"url": url, "text": text}, ensure_ascii=False) + "\n")
    row |= {"seconds": time.monotonic() - wall, "cpu_seconds": time.process_time() - cpu}
    print(json.dumps(row))


if __name__ == "__main__":
    main()
