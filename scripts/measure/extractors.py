"""The peers: other extractors of texts, and of titles, standfirsts, authors and dates; and the pages that they get, decoded once and
the same way for all.

Each with its documented options for the article alone, without readers' comments, since gold texts exclude those: a peer is to be
compared at its best, not with defaults made for another purpose. The figures at the lines are the differences these options make
(F1 of 2-grams, macro over 139 groups of pages in 8 data sets, November 2026). Libraries are imported when they are used.
"""
import codecs
import json
import re
import shutil
import subprocess
import sys
from typing import NamedTuple

import lib

PACKAGES = ["FastWARC==2.0.1", "Resiliparse==2.0.1", "htmldate==1.11.0", "jusText==3.0.2", "lxml==6.1.3", "lxml_html_clean==0.4.6",
            "newspaper4k==0.9.6", "readability-lxml==0.9", "trafilatura==2.3.1"]
RUST_PACKAGES = {"cpu-time": "=1.0.0", "rs-trafilatura": "=0.2.2", "serde_json": "=1.0.154"}
# Readers' comments are off by default. Each line is answered with what is found and its CPU seconds.
RUST = """use std::io::{BufRead, stdin};

fn main() {
    // The process that asks may be killed while a page is read.
    let parent = std::os::unix::process::parent_id();
    std::thread::spawn(move || {
        while std::os::unix::process::parent_id() == parent {
            std::thread::sleep(std::time::Duration::from_millis(200));
        }
        std::process::exit(1);
    });
    for line in stdin().lock().lines() {
        let page: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
        let markdown = page["markdown"] == true;
        let options = rs_trafilatura::Options {
            output_markdown: markdown,
            include_links: markdown,
            include_formatting: markdown,
            url: page["url"].as_str().map(str::to_owned),
            ..Default::default()
        };
        let begun = cpu_time::ThreadTime::now();
        let found = rs_trafilatura::extract_with_options(page["html"].as_str().unwrap(), &options);
        let seconds = begun.elapsed().as_secs_f64();
        let answer = match found {
            Ok(own) if markdown => serde_json::json!({ "found": own.content_markdown.unwrap_or_default() }),
            Ok(own) => serde_json::json!({ "found": own.content_text, "seconds": seconds }),
            Err(error) => serde_json::json!({ "error": error.to_string(), "seconds": seconds }),
        };
        println!("{answer}");
    }
}
"""
STATUSES = (200, 201, 203)  # as in configs/default.toml
HTML_TYPES = ("text/html", "application/xhtml+xml")
# For these types the first bytes decide.
VAGUE_TYPES = ("", "text/plain", "text/xml", "application/xml", "application/octet-stream", "unknown")
LOOKS_LIKE_HTML = re.compile(rb"<(?:!doctype\s+html|html|head|body)\b", re.I)
# Bytes that are searched for a declared character set; the standard's 1024 are too few for real pages.
SEARCHED = 4096
META_CHARSET = re.compile(rb"""<meta\b[^>]*?\bcharset\s*=\s*["']?\s*([\w.:-]+)""", re.I)
BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
# Elements that begin a new line in the text of readability-lxml.
BLOCKS = frozenset(
    "address article aside blockquote body br caption center dd details dialog div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hr html legend li main menu nav ol option p pre section summary table "
    "tbody tfoot thead tr ul".split()
)
WITHOUT_TEXT = frozenset(("script", "style", "noscript", "template", "head"))
# +5.5 without comments; +1.1 without the alternative texts of images and list bullets, which gold texts lack.
RESILIPARSE_OPTIONS = {"main_content": True, "comments": False, "alt_texts": False, "list_bullets": False}


class Page(NamedTuple):
    url: str
    payload: bytes
    charset: str | None
    """Of the HTTP header."""


def read_pages(paths, unreadable=None):
    """The pages of archives in order. Files that cannot be read to their end are added to `unreadable`."""
    from fastwarc.warc import ArchiveIterator, WarcRecordType

    for path in paths:
        try:
            with open(path, "rb") as stream:
                for record in ArchiveIterator(stream, record_types=WarcRecordType.response | WarcRecordType.resource, parse_http=False):
                    if unreadable is not None:
                        # FastWARC ends silently in a truncated file: its last record is then short.
                        record.freeze()
                        if record.content_length < int(record.headers.get("Content-Length") or 0):
                            raise OSError(f"the record at {record.stream_pos} is cut off")
                    page = read_page(record, record.record_type == WarcRecordType.resource)
                    if page:
                        yield page
        except (OSError, ValueError) as error:
            if unreadable is None:
                raise
            if path not in unreadable:  # once, not for every peer
                print(f"{path}: {error}; what was read before is kept", file=sys.stderr)
                unreadable.append(path)


def read_page(record, is_resource):
    """The page of a record, or None if it has none, or none that can be read."""
    try:
        if not is_resource:
            record.parse_http(auto_decode="all")
            if record.http_headers is None or record.http_headers.status_code not in STATUSES:
                return None
        content_type = (record.headers if is_resource else record.http_headers).get("Content-Type") or ""
        payload = record.reader.read()
    except (OSError, ValueError):
        return None  # broken HTTP or compression: not a page for sitegrove either
    url, media_type = (record.headers.get("WARC-Target-URI") or "").strip("<>"), re.split("[;,]", content_type)[0].strip().lower()
    is_vague = media_type in VAGUE_TYPES or "/" not in media_type
    is_html = LOOKS_LIKE_HTML.search(payload[:SEARCHED]) if is_vague else media_type in HTML_TYPES
    charset = re.search(r"charset\s*=\s*[\"']?\s*([\w.:-]+)", content_type, re.I)
    return Page(url, payload, charset and charset[1]) if url and payload.strip() and is_html else None


def decode(payload, http_charset):
    """Byte order mark, then HTTP, then the page's meta element, then valid UTF-8, then a guess."""
    from resiliparse.parse.encoding import detect_encoding, map_encoding_to_html5

    def find(label):
        """Python's name of the encoding that browsers use for a label."""
        return map_encoding_to_html5(label, fallback_utf8=False) if label else None

    for bom, name in BOMS:
        if payload.startswith(bom):
            return payload[len(bom) :].decode(name, "replace")
    found = META_CHARSET.search(payload[:SEARCHED])
    declared = find(found[1].decode("ascii")) if found else None
    # A declaration that is readable as ASCII is not in UTF-16 (HTML standard, §13.2.3.2).
    declared = "utf-8" if declared and declared.startswith("utf-16") else declared
    if name := find(http_charset) or declared:
        return payload.decode(name, "replace")
    try:
        return payload.decode("utf-8")
    except UnicodeDecodeError:
        return payload.decode(detect_encoding(payload), "replace")


def load_trafilatura(**options):
    from trafilatura import extract

    # +5.2: readers' comments are on by default.
    return lambda html, url: extract(html, include_comments=False, **options) or ""


def load_resiliparse():
    from resiliparse.extract.html2text import extract_plain_text

    return lambda html, url: extract_plain_text(html, **RESILIPARSE_OPTIONS)


def load_readability():
    import logging

    from readability import Document

    # It logs the traceback of the exception that it raises.
    logging.getLogger("readability").setLevel(logging.CRITICAL)
    # +1.8: a whole document came back with an empty body for 17 of 1,217 pages, the part alone with text.
    return lambda html, url: html_to_text(Document(html).summary(html_partial=True) or "<div></div>")


def html_to_text(html):
    """The text with one line per block. Not recursive: pages are nested deeper than Python allows."""
    from lxml import html as lxml_html

    parts, stack = [], [(lxml_html.document_fromstring(html), False)]
    while stack:
        element, is_closed = stack.pop()
        tag = element.tag if isinstance(element.tag, str) else None  # None: comments and the like
        parts.append("\n" if tag in BLOCKS else " " if tag in ("td", "th") else "")
        text = element.tail if is_closed else element.text if tag and tag not in WITHOUT_TEXT else ""
        # Line breaks of the source are spaces.
        parts.append((text or "").replace("\n", " ").replace("\r", " "))
        if not is_closed:
            stack.append((element, True))
            stack += [(child, False) for child in reversed(element) if tag and tag not in WITHOUT_TEXT]
    lines = (" ".join(line.split()) for line in "".join(parts).split("\n"))
    return "\n".join(line for line in lines if line)


class RsTrafilatura:
    """The crate rs-trafilatura in a process of its own; the program is built once, in the cache."""

    def __init__(self):
        home = lib.name_cache("peers-rust", (RUST_PACKAGES, RUST))
        program = home / "target/release/peer"
        if not program.is_file():
            shutil.rmtree(home, ignore_errors=True)
            (home / "src").mkdir(parents=True)
            (home / "src/main.rs").write_text(RUST)
            dependencies = "".join(f'{name} = "{version}"\n' for name, version in RUST_PACKAGES.items())
            (home / "Cargo.toml").write_text(f'[package]\nname = "peer"\nedition = "2024"\n[workspace]\n[dependencies]\n{dependencies}')
            subprocess.run(["cargo", "build", "--release", "--quiet"], cwd=home, check=True, stdout=2)
        self.program = program
        self.seconds = 0.0
        """CPU time of the last page."""
        self.start()

    def start(self):
        self.process = subprocess.Popen([self.program], stdin=-1, stdout=-1, stderr=subprocess.DEVNULL, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def extract(self, html, url, markdown=False):
        self.process.stdin.write(json.dumps({"url": url or None, "html": html, "markdown": markdown}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            self.seconds = 0.0
            self.start()
            raise RuntimeError("the process ended")
        answer = json.loads(line)
        self.seconds = answer.get("seconds", 0.0)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["found"]


def load_trafilatura_metadata():
    from trafilatura.metadata import extract_metadata

    def extract(html, url):
        found = extract_metadata(html, default_url=url)
        # Its separator, see trafilatura.json_metadata.normalize_authors.
        authors = [name.strip() for name in (found.author or "").split("; ") if name.strip()]
        # It has no standfirst: the description is what comes nearest.
        return {"title": found.title, "subtitle": found.description, "authors": authors, "published": found.date}

    return extract


def load_newspaper():
    from newspaper import Article

    def extract(html, url):
        article = Article(url or "http://page.invalid/", fetch_images=False)
        article.download(input_html=html)
        article.parse()
        date = article.publish_date
        published = date.isoformat() if hasattr(date, "isoformat") else date or None
        subtitle = article.meta_description or None
        return {"title": article.title or None, "subtitle": subtitle, "authors": list(article.authors), "published": published}

    return extract


def load_htmldate():
    from htmldate import find_date

    # The date of publication; without original_date it returns the last change.
    return lambda html, url: {"published": find_date(html, original_date=True, url=url or None)}


# Functions that load a peer: a function from html and address to a text, or to {"title", "subtitle", "authors", "published"}, as far as
# it finds them. A peer may give a date of today or later: none of them gets the time of the fetch.
OF_TEXTS = {
    "trafilatura": load_trafilatura,
    "trafilatura-precision": lambda: load_trafilatura(favor_precision=True),
    "resiliparse": load_resiliparse,
    "readability-lxml": load_readability,
    "rs-trafilatura": lambda: RsTrafilatura().extract,
}
OF_METADATA = {"trafilatura": load_trafilatura_metadata, "newspaper4k": load_newspaper, "htmldate": load_htmldate}
