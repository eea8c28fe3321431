"""The base archives: ten pages each, one per site, in nine forms."""
import hashlib
import random
import zlib
from dataclasses import dataclass, field

import brotli
import lz4.frame
import zstandard
from small_crawl import WORDS

RECORDS = 10


@dataclass
class Record:
    """The parts of a record, and its expected values."""

    url: str
    text: str
    head: list
    block: bytes
    newline: bytes = b"\r\n"
    before: bytes = b""
    tail: bytes = b"\r\n\r\n"
    arc: bool = False
    known: set = field(default_factory=set)

    def length(self):
        """The index of the line that declares the length."""
        return next((at for at, line in enumerate(self.head) if line.lower().startswith(b"content-length")), None)

    def bytes(self):
        end = b"" if self.arc else self.newline
        return self.before + b"".join(line + self.newline for line in self.head) + end + self.block + self.tail

    def knows(self, block):
        """Registers the block that a peer gives if it has read the record."""
        self.known.add((self.url, hashlib.sha1(block).hexdigest()))


def sentences(rng):
    words = rng.choices(WORDS, k=9)
    return f"The {words[0]} stood by the {words[1]}, and a {words[2]} with its {words[3]} came from the {words[4]} to the {words[5]}. " + \
        f"After the {words[6]} nobody asked for a {words[7]} or the {words[8]}."


def page(number, rng):
    """A page, and its expected text."""
    paragraphs = [" ".join(sentences(rng) for _ in range(3)) for _ in range(4)]
    paragraphs = [f"Page {number} begins here. {paragraphs[0]}", *paragraphs[1:-1], f"{paragraphs[-1]} Page {number} ends here."]
    body = "\n".join(f"<p>{text}</p>" for text in paragraphs)
    html = f"<!doctype html><html lang=en><head><title>Notes {number}</title></head><body><div class=entry>\n{body}\n</div></body></html>\n"
    return html.encode(), "\n\n".join(paragraphs)


def deflate(data, window):
    packer = zlib.compressobj(6, zlib.DEFLATED, window)
    return packer.compress(data) + packer.flush()


def gzip(data):
    return deflate(data, 31)


def zstd(data):
    return zstandard.ZstdCompressor().compress(data)


def chunked(data):
    return b"".join(b"%x\r\n%s\r\n" % (len(data[at : at + 99]), data[at : at + 99]) for at in range(0, len(data), 99)) + b"0\r\n\r\n"


CODINGS = [
    (b"", bytes),
    (b"Transfer-Encoding: chunked\r\n", chunked),
    (b"Content-Encoding: gzip\r\n", gzip),
    (b"Content-Encoding: deflate\r\n", zlib.compress),
    (b"Content-Encoding: deflate\r\n", lambda data: deflate(data, -15)),
    (b"Content-Encoding: br\r\n", brotli.compress),
    (b"Content-Encoding: zstd\r\n", zstd),
    (b"Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n", lambda data: chunked(gzip(data))),
    (b"Content-Encoding: br\r\nTransfer-Encoding: chunked\r\n", lambda data: chunked(brotli.compress(data))),
    (b"Content-Encoding: identity\r\n", bytes),
]


@dataclass
class Base:
    name: str
    suffix: str
    wrap: object = bytes
    arc: bool = False
    newline: bytes = b"\r\n"
    one_member: bool = False
    coded: bool = False

    def records(self, seed):
        """The ten records. The first page follows the record about the archive, which is its `before`."""
        rng = random.Random(f"pages {seed}")
        records = []
        for number in range(RECORDS):
            html, text = page(number, rng)
            url = f"http://r{number}.example/notes/{number}"
            coding, code = CODINGS[number] if self.coded else CODINGS[0]
            http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n" + coding + b"\r\n" + code(html)
            if self.arc:
                head = [b"%s 192.0.2.1 2024050100%02d00 text/html %d" % (url.encode(), number, len(http))]
                record = Record(url, text, head, http, newline=b"\n", tail=b"\n", arc=True)
            else:
                head = [
                    b"WARC/1.0",
                    b"WARC-Type: response",
                    b"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-%012d>" % number,
                    b"WARC-Date: 2024-05-01T00:%02d:00Z" % number,
                    b"WARC-Target-URI: " + url.encode(),
                    b"Content-Type: application/http; msgtype=response",
                    b"Content-Length: %d" % len(http),
                ]
                record = Record(url, text, head, http, newline=self.newline, tail=self.newline * 2)
            record.knows(http)
            records.append(record)
        if self.arc:
            about = b"1 0 Test\nURL IP-address Archive-date Content-type Archive-length\n"
            records[0].before = b"filedesc://a.arc 0.0.0.0 20240501000000 text/plain %d\n%s\n" % (len(about), about)
        return records


BASES = [
    Base("plain", ".warc"),
    Base("lines-of-lf", ".warc", newline=b"\n"),
    Base("records", ".warc.gz", gzip),
    Base("whole", ".warc.gz", gzip, one_member=True),
    Base("frames", ".warc.zst", zstd),
    Base("blocks", ".warc.lz4", lz4.frame.compress),
    Base("plain", ".arc", arc=True),
    Base("records", ".arc.gz", gzip, arc=True),
    Base("payloads", ".warc.gz", gzip, coded=True),
]
