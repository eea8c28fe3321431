"""Archives of small made-up pages, for checks and measurements. Standard library only."""
import itertools
import random
import zlib
from pathlib import Path

MIB = 1 << 20
WORDS = """harbour lantern orchard gravel kettle winter sailor copper meadow ladder engine parcel violin bridge
canvas thunder market pigeon saddle timber ribbon quarry bottle chapel pepper anchor velvet cellar walnut needle
summer garden hammer island candle mirror barley button magnet pillow marble tunnel cattle window dragon silver""".split()
HTML = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"


def prose(seed, paragraphs=6):
    """Some paragraphs of text."""
    chance = random.Random(seed)

    def sentence():
        return " ".join(chance.choices(WORDS, k=12)).capitalize() + "."

    return "".join(f"<p>{' '.join(sentence() for _ in range(5))}</p>\n" for _ in range(paragraphs))


def page(seed, inside="", before="", head="", paragraphs=6):
    """A page of a small blog."""
    return (
        f"<!doctype html><html lang=en><head><title>Notes {seed}</title>{head}</head><body>{before}"
        f"<ul class=menu><li><a href=/>Home</a><li><a href=/about>About</a></ul><h1>Notes {seed}</h1>"
        f"<div class=entry>{prose(seed, paragraphs)}{inside}</div><p class=foot>All rights reserved.</p></body></html>"
    ).encode()


def record(kind, url, block, number, fields=b"", date=None):
    """A WARC record. Its id and, unless a date is given, its time of day follow from the number."""
    second = number % 86_400
    date = date or "2024-05-01T%02d:%02d:%02dZ" % (second // 3600, second // 60 % 60, second % 60)
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: {date}\r\n"
        f"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{number:012x}>\r\n"
    )
    end = f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
    return head.encode() + fields + end.encode() + block + b"\r\n\r\n"


def response(url, html, number, head=HTML, date=None):
    """The record of a page."""
    return record("response", url, head + b"\r\n" + html, number, date=date)


def site(name, pages):
    """The records of the pages of one site."""
    for number, html in enumerate(pages):
        yield response(f"https://{name}.example/notes/{number}", html, number)


def sites(pages, pages_each):
    """The records of pages of many sites."""
    for number, html in enumerate(pages):
        yield response(f"https://s{number // pages_each}.example/notes/{number}", html, number)


def write(records, *paths, member=MIB):
    """Writes records to archives in turn, in gzip members of about this size. Returns their number and bytes."""
    count = size = 0
    files = [open(path, "wb") for path in map(Path, paths)]
    held = [[] for _ in files]

    def flush(at):
        packer = zlib.compressobj(1, zlib.DEFLATED, 31)
        files[at].write(packer.compress(b"".join(held[at])) + packer.flush())
        held[at].clear()

    for at, data in zip(itertools.cycle(range(len(files))), records):
        count, size = count + 1, size + len(data)
        held[at].append(data)
        if sum(map(len, held[at])) > member:
            flush(at)
    for at, file in enumerate(files):
        flush(at)
        file.close()
    return count, size
