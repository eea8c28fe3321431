"""The peers written in Python, each a function from html to text. Imported only when called.

Each with its documented options for the article alone, without readers' comments, since gold texts exclude those: a
peer is to be compared at its best, not with defaults made for another purpose. The figures at the lines are the
differences these options make (F1 of 2-grams, macro over 139 groups of pages in 8 data sets, November 2026).
"""
from collections.abc import Callable

# Elements that begin a new line in the text of readability-lxml.
BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hr html legend li main menu nav ol option p pre section summary table "
    "tbody tfoot thead tr ul".split()
)
CELLS = frozenset(("td", "th"))
NO_TEXT = frozenset(("script", "style", "noscript", "template", "head"))
# +5.5 without comments; +1.1 without the alternative texts of images and list bullets, which gold texts lack.
RESILIPARSE_OPTIONS = {"main_content": True, "comments": False, "alt_texts": False, "list_bullets": False}


def trafilatura() -> Callable[[str], str]:
    from trafilatura import extract

    # +5.2: readers' comments are on by default.
    return lambda html: extract(html, include_comments=False) or ""


def trafilatura_precision() -> Callable[[str], str]:
    from trafilatura import extract

    return lambda html: extract(html, favor_precision=True, include_comments=False) or ""


def resiliparse() -> Callable[[str], str]:
    from resiliparse.extract.html2text import extract_plain_text

    return lambda html: extract_plain_text(html, **RESILIPARSE_OPTIONS)


def readability_lxml() -> Callable[[str], str]:
    import logging

    from readability import Document

    # It logs the traceback of the exception that it raises.
    logging.getLogger("readability").setLevel(logging.CRITICAL)
    # +1.8: a whole document came back with an empty body for 17 of 1,217 pages, the part alone with text.
    return lambda html: text_of_html(Document(html).summary(html_partial=True) or "<div></div>")


def text_of_html(html: str) -> str:
    """The text with one line per block."""
    from lxml import html as lxml_html

    parts: list[str] = []
    collect(lxml_html.document_fromstring(html), parts)
    lines = (" ".join(line.split()) for line in "".join(parts).split("\n"))
    return "\n".join(line for line in lines if line)


def collect(root, parts: list[str]) -> None:
    """Adds an element's text; a line break at both ends of blocks. Not recursive: pages are nested deeper than Python allows."""
    stack = [(root, False)]
    while stack:
        element, behind = stack.pop()
        tag = element.tag if isinstance(element.tag, str) else None  # None: comments and the like
        edge = "\n" if tag in BLOCKS or tag == "br" else " " if tag in CELLS else ""
        if behind:
            parts.append(edge)
            parts.append(spaced(element.tail))
            continue
        parts.append(edge)
        stack.append((element, True))
        if tag and tag not in NO_TEXT:
            parts.append(spaced(element.text))
            stack.extend((child, False) for child in reversed(element))


def spaced(text: str | None) -> str:
    """Converts line breaks of the source to spaces."""
    return (text or "").replace("\n", " ").replace("\r", " ")


EXTRACTORS = {
    "trafilatura": trafilatura,
    "trafilatura-precision": trafilatura_precision,
    "resiliparse": resiliparse,
    "readability-lxml": readability_lxml,
}
