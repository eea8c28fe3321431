"""WARC files → pages, decoded once and the same way for every peer."""
import codecs
import re
import sys
from typing import Iterator, NamedTuple

from fastwarc.warc import ArchiveIterator, WarcRecordType
from resiliparse.parse.encoding import detect_encoding, map_encoding_to_html5

KINDS = WarcRecordType.response | WarcRecordType.resource
STATUSES = (200, 203)  # as in configs/default.toml
HTML_TYPES = ("text/html", "application/xhtml+xml")
# For these types the first bytes decide.
UNTOLD_TYPES = ("", "text/plain", "text/xml", "application/xml", "application/octet-stream", "unknown")
LOOKS_LIKE_HTML = re.compile(rb"<(?:!doctype\s+html|html|head|body)\b", re.I)
# Bytes that are searched for a declared character set; the standard's 1024 are too few for real pages.
FAR = 4096
META_CHARSET = re.compile(rb"""<meta\b[^>]*?\bcharset\s*=\s*["']?\s*([\w.:-]+)""", re.I)
BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


class Page(NamedTuple):
    url: str
    html: str
    size: int
    """Bytes of the payload: decompressed, before decoding."""


def pages(paths: list[str], unreadable: list[str]) -> Iterator[Page]:
    """The pages of the files in order. Files that cannot be read to their end are added to `unreadable`."""
    for path in paths:
        try:
            with open(path, "rb") as stream:
                for record in ArchiveIterator(stream, record_types=KINDS, parse_http=False):
                    # FastWARC ends silently in a truncated file: its last record is then short.
                    record.freeze()
                    if record.content_length < int(record.headers.get("Content-Length") or 0):
                        raise OSError(f"the record at {record.stream_pos} is cut off")
                    page = page_of(record)
                    if page:
                        yield page
        except (OSError, ValueError) as error:
            if path not in unreadable:  # once, not for every peer
                print(f"scripts/measure/peers: {path}: {error}; what was read before is kept", file=sys.stderr)
                unreadable.append(path)


def page_of(record) -> Page | None:
    """The page of a record, or None if it has none, or none that can be read."""
    try:
        payload, media_type, http_charset = payload_of(record)
    except (OSError, ValueError):
        return None  # broken HTTP or compression: not a page for sitegrove either
    url = (record.headers.get("WARC-Target-URI") or "").strip("<>")
    if not url or not payload.strip() or not is_html(media_type, payload):
        return None
    return Page(url, decode(payload, http_charset), len(payload))


def payload_of(record) -> tuple[bytes, str, str | None]:
    """Payload, media type, and the charset in the HTTP header; the payload is empty for other statuses."""
    if record.record_type == WarcRecordType.resource:
        content_type = record.headers.get("Content-Type") or ""
    else:
        record.parse_http(auto_decode="all")
        if record.http_headers is None or record.http_headers.status_code not in STATUSES:
            return b"", "", None
        content_type = record.http_headers.get("Content-Type") or ""
    charset = re.search(r"charset\s*=\s*[\"']?\s*([\w.:-]+)", content_type, re.I)
    media_type = re.split("[;,]", content_type)[0].strip().lower()
    return record.reader.read(), media_type, charset and charset[1]


def is_html(media_type: str, payload: bytes) -> bool:
    if media_type in UNTOLD_TYPES or "/" not in media_type:
        return bool(LOOKS_LIKE_HTML.search(payload[:FAR]))
    return media_type in HTML_TYPES


def decode(payload: bytes, http_charset: str | None) -> str:
    """Byte order mark, then HTTP, then the page's meta element, then valid UTF-8, then a guess."""
    for bom, name in BOMS:
        if payload.startswith(bom):
            return payload[len(bom) :].decode(name, "replace")
    name = known(http_charset) or declared(payload)
    if name:
        return payload.decode(name, "replace")
    try:
        return payload.decode("utf-8")
    except UnicodeDecodeError:
        return payload.decode(detect_encoding(payload), "replace")


def declared(payload: bytes) -> str | None:
    found = META_CHARSET.search(payload[:FAR])
    name = known(found[1].decode("ascii")) if found else None
    # A declaration that is readable as ASCII is not in UTF-16 (HTML standard, §13.2.3.2).
    return "utf-8" if name and name.startswith("utf-16") else name


def known(label: str | None) -> str | None:
    """Python's name of the encoding that browsers use for a label."""
    return map_encoding_to_html5(label, fallback_utf8=False) if label else None
