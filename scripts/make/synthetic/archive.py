"""A fast WARC 1.1 writer: one gzip member per record. Parts that pages share are compressed only once.

Deflate streams that end with a full flush can be concatenated (RFC 1951, §3.2.4: an empty stored block ends on a byte
boundary; nothing after it refers to data before it), so a member consists of pieces.
"""
import hashlib
import struct
import uuid
import zlib
from base64 import b32encode
from datetime import datetime, timedelta

START = datetime(2026, 9, 1)
HEADER = b"\x1f\x8b\x08\0\0\0\0\0\x04\xff"
LEVEL = 1


class Blob:
    """Bytes that many pages have in common, and their deflate stream."""

    def __init__(self, text, codec="utf-8", level=LEVEL):
        self.raw = text.encode(codec, "xmlcharrefreplace")
        deflate = zlib.compressobj(level, zlib.DEFLATED, -15)
        self.deflated = deflate.compress(self.raw) + deflate.flush(zlib.Z_FULL_FLUSH)


def gzip_member(pieces):
    """A gzip member of bytes and blobs."""
    deflate = zlib.compressobj(LEVEL, zlib.DEFLATED, -15)
    out, crc, size = [HEADER], 0, 0
    for piece in pieces:
        raw = piece.raw if isinstance(piece, Blob) else piece
        crc, size = zlib.crc32(raw, crc), size + len(raw)
        if isinstance(piece, Blob):
            out.append(deflate.flush(zlib.Z_FULL_FLUSH))
            out.append(piece.deflated)
        else:
            out.append(deflate.compress(raw))
    out.append(deflate.flush(zlib.Z_FINISH))
    out.append(struct.pack("<II", crc, size & 0xFFFFFFFF))
    return b"".join(out)


def raw_size(pieces):
    return sum(len(piece.raw if isinstance(piece, Blob) else piece) for piece in pieces)


def chunked(pieces):
    """Pieces as HTTP chunks, one each."""
    for piece in pieces:
        size = raw_size([piece])
        if size:
            yield b"%x\r\n" % size
            yield piece
            yield b"\r\n"
    yield b"0\r\n\r\n"


class Writer:
    """Writes records to a file, in order, with increasing times."""

    def __init__(self, file, name, seed):
        self.file, self.seconds, self.count, self.name = file, 0, 0, f"{seed}:{name}"
        about = "software: sitegrove scripts/make/crawl\r\nformat: WARC File Format 1.1\r\ndescription: a synthetic crawl of sites that do not exist\r\n"
        self.record("warcinfo", {"WARC-Filename": name, "Content-Type": "application/warc-fields"}, [about.encode()])

    def record(self, kind, fields, pieces):
        """Writes a record. Returns its id."""
        self.count += 1
        ident = f"<urn:uuid:{uuid.UUID(bytes=hashlib.md5(f'{self.name}:{self.count}'.encode()).digest())}>"
        date = (START + timedelta(seconds=self.seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")
        head = [f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: {ident}\r\nWARC-Date: {date}\r\n"]
        head += [f"{name}: {value}\r\n" for name, value in fields.items()]
        head.append(f"Content-Length: {raw_size(pieces)}\r\n\r\n")
        self.file.write(gzip_member([b"".join(part.encode() for part in head), *pieces, b"\r\n\r\n"]))
        return ident

    def response(self, url, status, headers, pieces, wire=(), note=False, request=False):
        """An exchange: the response, and on request its request and a metadata record with the fetch time."""
        self.seconds += 1
        host, _, path = url.partition("://")[2].partition("/")
        fields = {"WARC-Target-URI": url, "WARC-IP-Address": f"192.0.2.{len(host) * 7 % 250 + 1}", "Content-Type": "application/http; msgtype=response"}
        head = [f"HTTP/1.1 {status}\r\n"] + [f"{name}: {value}\r\n" for name, value in headers.items()]
        if "gzip" in wire:
            pieces = [gzip_member(pieces)]
            head.append("Content-Encoding: gzip\r\n")
        if "chunked" in wire:
            pieces = list(chunked(pieces))
            head.append("Transfer-Encoding: chunked\r\n")
        else:
            digest = hashlib.sha1()
            for piece in pieces:
                digest.update(piece.raw if isinstance(piece, Blob) else piece)
            fields["WARC-Payload-Digest"] = "sha1:" + b32encode(digest.digest()).decode()
            head.append(f"Content-Length: {raw_size(pieces)}\r\n")
        ident = self.record("response", fields, ["".join([*head, "\r\n"]).encode(), *pieces])
        about = {"WARC-Target-URI": url, "WARC-Concurrent-To": ident}
        if request:
            ask = f"GET /{path} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: sitegrove-crawl/1.0\r\nAccept-Encoding: gzip\r\n\r\n"
            self.record("request", about | {"Content-Type": "application/http; msgtype=request"}, [ask.encode()])
        if note:
            self.record("metadata", about | {"Content-Type": "application/warc-fields"}, [b"fetchTimeMs: %d\r\n" % (self.seconds * 37 % 900 + 40)])
