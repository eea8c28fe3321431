"""WARC 1.1, one gzip member a record, the same bytes every time; and the small reader we check it with."""
import base64
import hashlib
import struct
import uuid
import zlib
from datetime import datetime, timedelta

CRLF = "\r\n"
START = datetime(2026, 10, 5, 3, 0, 0)


def gzip_member(data):
    """A gzip stream without time, name or platform in its header."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = deflate.compress(data) + deflate.flush()
    return b"\x1f\x8b\x08\0\0\0\0\0\x02\xff" + body + struct.pack("<II", zlib.crc32(data), len(data) & 0xFFFFFFFF)


def chunked(data, size=3000):
    out = [b"%x\r\n%s\r\n" % (len(data[i : i + size]), data[i : i + size]) for i in range(0, len(data), size)]
    return b"".join(out) + b"0\r\n\r\n"


def sha1(data):
    return "sha1:" + base64.b32encode(hashlib.sha1(data).digest()).decode()


def record_id(*keys):
    return f"<urn:uuid:{uuid.UUID(hashlib.sha256(chr(0).join(keys).encode()).hexdigest()[:32])}>"


class Archive:
    """The records of one file, in order."""

    def __init__(self, name):
        self.name, self.members, self.seconds = name, [], 0
        self.info = record_id("warcinfo", name)
        lines = ["software: sitegrove scripts/make-sample", "format: WARC File Format 1.1", "conformsTo: https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/", "robots: obey", "description: a crawl of sites that do not exist, written for sitegrove's examples and tests"]
        self._write("warcinfo", self.info, {"WARC-Filename": name, "Content-Type": "application/warc-fields"}, "".join(l + CRLF for l in lines).encode())

    def exchange(self, url, status, headers, body, *, gzip=False, chunk=False, version="HTTP/1.1"):
        """A request, its response and a note on how long it took."""
        self.seconds += 2 + int(hashlib.sha256(url.encode()).hexdigest()[:2], 16) % 5
        scheme, _, rest = url.partition("://")
        host, _, path = rest.partition("/")
        payload = gzip_member(body) if gzip else body
        head = dict(headers)
        if gzip:
            head["Content-Encoding"] = "gzip"
        if chunk:
            head["Transfer-Encoding"] = "chunked"
        else:
            head["Content-Length"] = str(len(payload))
        sent = chunked(payload) if chunk else payload
        block = (CRLF.join([f"{version} {status}"] + [f"{k}: {v}" for k, v in head.items()]) + CRLF * 2).encode() + sent
        response = record_id("response", url)
        target = {"WARC-Target-URI": url, "WARC-Warcinfo-ID": self.info}
        extra = {"WARC-IP-Address": f"192.0.2.{int(hashlib.sha256(host.encode()).hexdigest()[:2], 16) % 250 + 1}", "Content-Type": "application/http; msgtype=response"}
        if not chunk:  # readers disagree whether a payload digest is of the chunks or of what they carry
            extra["WARC-Payload-Digest"] = sha1(payload)
        ask = CRLF.join([f"GET /{path} {version}", f"Host: {host}", "User-Agent: sitegrove-sample/1.0", "Accept-Encoding: gzip, identity", "Connection: close"]) + CRLF * 2
        self._write("request", record_id("request", url), target | {"WARC-Concurrent-To": response, "Content-Type": "application/http; msgtype=request"}, ask.encode())
        self._write("response", response, target | extra, block)
        note = f"fetchTimeMs: {len(block) % 400 + 30}{CRLF}"
        self._write("metadata", record_id("metadata", url), target | {"WARC-Refers-To": response, "Content-Type": "application/warc-fields"}, note.encode())

    def _write(self, kind, ident, fields, block):
        date = (START + timedelta(seconds=self.seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")
        head = {"WARC-Type": kind, "WARC-Record-ID": ident, "WARC-Date": date} | fields
        head |= {"WARC-Block-Digest": sha1(block), "Content-Length": str(len(block))}
        lines = ["WARC/1.1"] + [f"{k}: {v}" for k, v in head.items()]
        self.members.append(gzip_member((CRLF.join(lines) + CRLF * 2).encode() + block + b"\r\n\r\n"))

    def bytes(self):
        return b"".join(self.members)


# ---- reading back ----------------------------------------------------------------------------


def read(data):
    """(header fields, block) of every record; raises if a member, length or digest is wrong."""
    while data:
        member = zlib.decompressobj(31)
        record = member.decompress(data)
        assert member.eof, "gzip member ends early"
        data = member.unused_data
        head, _, rest = record.partition(b"\r\n\r\n")
        version, *lines = head.decode().split(CRLF)
        assert version == "WARC/1.1", version
        fields = dict(line.split(": ", 1) for line in lines)
        block = rest[: int(fields["Content-Length"])]
        assert rest[len(block) :] == b"\r\n\r\n", "Content-Length does not fit the member"
        assert fields["WARC-Block-Digest"] == sha1(block), "block digest"
        if "WARC-Payload-Digest" in fields:
            assert fields["WARC-Payload-Digest"] == sha1(block.partition(b"\r\n\r\n")[2]), "payload digest"
        yield fields, block


def http(block):
    """(status line, headers, decoded body) of an HTTP response block."""
    head, _, body = block.partition(b"\r\n\r\n")
    status, *lines = head.decode().split(CRLF)
    headers = {k.lower(): v for k, v in (line.split(": ", 1) for line in lines)}
    if headers.get("transfer-encoding") == "chunked":
        out = b""
        while True:
            size, _, body = body.partition(b"\r\n")
            if not int(size, 16):
                break
            out += body[: int(size, 16)]
            body = body[int(size, 16) + 2 :]
        body = out
    elif "content-length" in headers:
        assert int(headers["content-length"]) == len(body), "HTTP Content-Length"
    if headers.get("content-encoding") == "gzip":
        body = zlib.decompress(body, 31)
    return status, headers, body
