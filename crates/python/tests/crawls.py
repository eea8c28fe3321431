"""A crawl that tests of many processes share: the sample crawl, and a site of most of the pages."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

from conftest import CRAWL

WORDS = "harbour lantern orchard gravel kettle winter sailor copper meadow ladder engine parcel violin bridge".split()
LARGE = "large.example"
PAGES = 240


def _record(kind: str, url: str, number: int, fields: str, block: str) -> bytes:
    body = block.encode()
    head = (
        f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:{number:08}>\r\n"
        f"WARC-Date: 2024-05-0{1 + number // 100}T10:{number // 60 % 60:02}:{number % 60:02}Z\r\n"
        f"WARC-Target-URI: {url}\r\n{fields}Content-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return gzip.compress(head.encode() + body + b"\r\n\r\n", mtime=0)


def _page(number: int, layout: int) -> str:
    pick = random.Random(number)
    sentence = lambda: "The " + " and the ".join(pick.choices(WORDS, k=9)) + "."
    text = "".join(f"<p>{sentence()} {sentence()} {sentence()}</p>" for _ in range(4))
    title = f"Notes on {pick.choice(WORDS)} {number}"
    body = f"<h1>{title}</h1><div class=entry>{text}</div>" if layout == 0 else (
        f"<main><section id=story><h2>{title}</h2><article class=long>{text}</article></section></main>"
    )
    menu = "<ul class=menu><li><a href=/>Home</a><li><a href=/about>About us</a></ul>"
    return f"<!doctype html><html><head><title>{title}</title></head><body>{menu}{body}<p class=foot>Terms</p></body></html>"


def archives(folder: Path) -> list[str]:
    """Archives of the crawl: about six of ten pages are of one site, some of them revisits."""
    http = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    records = []
    for number in range(PAGES):
        layout = 1 if number % 24 == 7 else 0
        url = f"https://{LARGE}/notes/{number}"
        digest = f"WARC-Payload-Digest: sha1:LARGE{number}\r\n"
        records.append(_record("response", url, number, digest, http + _page(number, layout)))
        if number % 30 == 5:
            records.append(_record("revisit", f"https://mirror.example/{number}", 1_000 + number, digest, http))
    paths = list(CRAWL)
    for part in range(6):
        path = folder / f"large-{part}.warc.gz"
        path.write_bytes(b"".join(records[part::6]))
        paths.append(path)
    return [str(path) for path in paths]
