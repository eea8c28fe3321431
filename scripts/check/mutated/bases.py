"""The base archives: ten pages each, one per site, in nine forms. Standard library only."""
import hashlib
import random
import struct
import zlib
from dataclasses import dataclass, field

WORDS = """harbour lantern orchard gravel kettle winter sailor copper meadow ladder engine parcel violin bridge canvas thunder
market pigeon saddle timber ribbon quarry bottle chapel pepper anchor velvet cellar walnut needle summer garden hammer island
candle mirror barley button magnet pillow marble tunnel cattle window dragon silver forest wagon""".split()
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
    words = [rng.choice(WORDS) for _ in range(9)]
    return f"The {words[0]} stood by the {words[1]}, and a {words[2]} with its {words[3]} came from the {words[4]} to the {words[5]}. " + \
        f"After the {words[6]} nobody asked for a {words[7]} or the {words[8]}."


def page(number, rng):
    """A page, and its expected text."""
    paragraphs = [" ".join(sentences(rng) for _ in range(3)) for _ in range(4)]
    paragraphs = [f"Page {number} begins here. {paragraphs[0]}", *paragraphs[1:-1], f"{paragraphs[-1]} Page {number} ends here."]
    body = "\n".join(f"<p>{text}</p>" for text in paragraphs)
    html = f"<!doctype html><html lang=en><head><title>Notes {number}</title></head><body><div class=entry>\n{body}\n</div></body></html>\n"
    return html.encode(), "\n\n".join(paragraphs)


def gzip(data):
    deflate = zlib.compressobj(6, zlib.DEFLATED, 31)
    return deflate.compress(data) + deflate.flush()


def raw_deflate(data):
    deflate = zlib.compressobj(6, zlib.DEFLATED, -15)
    return deflate.compress(data) + deflate.flush()


def zstd(data):
    """A frame of stored blocks (RFC 8878, §3.1.1): its size in eight bytes, no checksum."""
    frame = b"\x28\xb5\x2f\xfd\xe0" + struct.pack("<Q", len(data))
    blocks = [data[at : at + 100_000] for at in range(0, len(data), 100_000)] or [b""]
    for at, block in enumerate(blocks):
        frame += struct.pack("<I", len(block) << 3 | (at + 1 == len(blocks)))[:3] + block
    return frame


def xxh32(data):
    """Of fewer than 16 bytes, seed 0."""
    prime = [2654435761, 2246822519, 3266489917, 668265263, 374761393]
    mask = 0xFFFFFFFF
    turned = lambda n, by: (n << by | n >> 32 - by) & mask  # noqa: E731
    hashed = prime[4] + len(data) & mask
    for at in range(0, len(data) // 4 * 4, 4):
        hashed = turned(hashed + struct.unpack_from("<I", data, at)[0] * prime[2] & mask, 17) * prime[3] & mask
    for byte in data[len(data) // 4 * 4 :]:
        hashed = turned(hashed + byte * prime[4] & mask, 11) * prime[0] & mask
    hashed = (hashed ^ hashed >> 15) * prime[1] & mask
    hashed = (hashed ^ hashed >> 13) * prime[2] & mask
    return hashed ^ hashed >> 16


def lz4(data):
    """A frame of stored blocks, independent of each other, of 64 KiB at most; no checksum but the head's."""
    descriptor = b"\x60\x40"
    frame = b"\x04\x22\x4d\x18" + descriptor + bytes([xxh32(descriptor) >> 8 & 0xFF])
    for at in range(0, len(data), 1 << 16):
        block = data[at : at + (1 << 16)]
        frame += struct.pack("<I", len(block) | 1 << 31) + block
    return frame + bytes(4)


def brotli(data):
    """Stored blocks (RFC 7932, §9): a window of 16 bits, "not the last, length in 4 nibbles, uncompressed", an empty last."""
    stream, shift = b"", 1
    for at in range(0, len(data), 4000):
        block = data[at : at + 4000]
        head = (len(block) - 1 << 3 | 1 << 19) << shift
        stream += head.to_bytes((shift + 20 + 7) // 8, "little") + block
        shift = 0
    return stream + b"\x03"


def chunked(data):
    return b"".join(b"%x\r\n%s\r\n" % (len(data[at : at + 99]), data[at : at + 99]) for at in range(0, len(data), 99)) + b"0\r\n\r\n"


CODINGS = [
    (b"", bytes),
    (b"Transfer-Encoding: chunked\r\n", chunked),
    (b"Content-Encoding: gzip\r\n", gzip),
    (b"Content-Encoding: deflate\r\n", zlib.compress),
    (b"Content-Encoding: deflate\r\n", raw_deflate),
    (b"Content-Encoding: br\r\n", brotli),
    (b"Content-Encoding: zstd\r\n", zstd),
    (b"Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n", lambda data: chunked(gzip(data))),
    (b"Content-Encoding: br\r\nTransfer-Encoding: chunked\r\n", lambda data: chunked(brotli(data))),
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
    Base("blocks", ".warc.lz4", lz4),
    Base("plain", ".arc", arc=True),
    Base("records", ".arc.gz", gzip, arc=True),
    Base("payloads", ".warc.gz", gzip, coded=True),
]
