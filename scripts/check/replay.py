"""Articles looked up in the inputs of their run and rendered by their XPath expressions, with lxml over html5lib's parse.

In all differences between the two parsers that were examined, html5lib was wrong: it does not reopen formatting elements
for white space between paragraphs (`<font><p>a</p> <p>b`), as the standard and browsers do.
"""
import codecs
import re
import warnings
from pathlib import Path

import html5lib
from warcio.archiveiterator import ArchiveIterator

# html5-parser (gumbo) would be faster, but its wheel and lxml's contain different versions of libxml2.

# Elements that crates/dom leaves out with their subtrees (crates/dom/src/flatten.rs).
DROPPED = set(
    "head script style noscript noframes noembed template iframe frameset object applet embed param canvas select "
    "option optgroup datalist textarea title meta link base".split()
)
# White space, including zero-width characters, and characters that the parsers' trees represent differently.
IGNORED = re.compile("[\\s\u200b\ufeff\ufffd\x00-\x1f\x7f-\x9f\ufdd0-\ufdef\ufffe\uffff]+")


def locate(path, offset):
    """The end of a file's path, independent of how the run was given it, and the offset in it."""
    return "/".join(Path(path).parts[-2:]), offset


def read_bodies(inputs, wanted):
    """(key, bytes) of the wanted records, content and transfer encodings decoded. A record is identified by its id, else by
    file and offset, else by its address; a saved page by its file."""
    for top in map(Path, inputs):
        for path in sorted(p for p in top.rglob("*") if p.is_file()) if top.is_dir() else [top]:
            if path.suffix in (".html", ".htm"):
                yield locate(path, 0), path.read_bytes()
                continue
            with open(path, "rb") as stream:
                records = ArchiveIterator(stream)
                for record in records:
                    if record.rec_type not in ("response", "resource"):
                        continue
                    name, address = (record.rec_headers.get_header(f"WARC-{part}") or "" for part in ("Record-ID", "Target-URI"))
                    # The content first: asking for the offset reads to the record's end.
                    data = record.content_stream().read()
                    keys = name.strip("<>"), locate(path, records.get_record_offset()), address.strip("<>")
                    yield next((key for key in keys if key and key in wanted), None), data


def find_pages(articles, inputs):
    """Each article that is in the inputs, with the bytes of its page."""
    wanted = {}
    for article in articles:
        origin = article["origin"]
        keys = origin.get("record_id", ""), locate(origin["file"], origin["offset"]), article["url"]
        wanted.setdefault(next(key for key in keys if key), []).append(article)
    for key, data in read_bodies(inputs, wanted):
        for article in wanted.pop(key, []):
            yield article, data


def decode(data, charset):
    """Decodes as the WHATWG Encoding Standard specifies, as far as Python's codecs can."""
    for mark in (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        data = data.removeprefix(mark) if charset.lower().startswith("utf-") else data
    name = {"gbk": "gb18030", "shift_jis": "cp932", "euc-kr": "cp949", "big5": "big5hkscs"}.get(charset.lower(), charset)
    # Bytes that a single-byte code page does not define stand for themselves.
    codecs.register_error("itself", lambda e: ("".join(map(chr, e.object[e.start : e.end])), e.end))
    return data.decode(name, "itself" if name.startswith("windows-") else "replace")


def parse(text):
    warnings.simplefilter("ignore")
    parser = html5lib.HTMLParser(html5lib.getTreeBuilder("lxml"), namespaceHTMLElements=False)
    return parser.parse(text, scripting=False).getroot()


def is_dropped(element):
    tag = element.tag
    # The tag of comments and processing instructions is not a string; SVG and MathML are in other namespaces.
    return not isinstance(tag, str) or tag.startswith("{") or tag in DROPPED or tag == "a" and is_permanent_link(element)


def is_permanent_link(link):
    """Whether it leads into the page from a sign that is no word, as headings have ("#", "¶")."""
    text = "".join(link.itertext())
    return "#" in link.get("href", "") and bool(text.strip()) and not any(map(str.isalnum, text))


def identify(node):
    """An element, or for a piece of text the element it is attached to, and whether it comes after that."""
    return (node.getparent(), bool(node.is_tail)) if isinstance(node, str) else node


def is_kept(above, mark):
    """The state of a node with its own mark below a state: None outside of kept nodes, then True, and False inside pruned ones."""
    if above is None:
        return True if mark else None
    return False if mark is False else above


def render(root, content, prune, cut=None):
    """The text of the nodes that `content` selects, without those that `prune` selects inside them. Nothing is kept from the first
    node that `cut` selects, in document order."""
    tree, marks, out = root.getroottree(), {}, []
    for keep, expressions in ((True, content), (False, prune)):
        marks |= {identify(node): keep for expression in expressions for node in tree.xpath(expression)}
    end = next((identify(node) for node in tree.xpath(cut)), None) if cut else None
    if cut and end is None:
        raise ValueError(f"nothing is at the cut {cut}")
    # Without recursion: pages are nested deeper than Python's recursion limit.
    stack = [(root, root, None)]
    while stack:
        place, element, state = stack.pop()
        if isinstance(place, tuple):
            if place == end:
                break
            text = element.tail if place[1] else element.text
            if text and is_kept(state, marks.get(place)):
                out.append(text)
        elif not is_dropped(element):
            if element == end:
                break
            state = is_kept(state, marks.get(element))
            for child in reversed(element):
                stack += [((child, True), child, state), (child, child, state)]
            stack.append(((element, False), element, state))
    return "".join(out)


def compare(article, theirs):
    """None if a text is that of an article except for white space, else the position of the first difference.

    The title at the beginning of one of them does not count: whether it is part of the text is a setting. Nor do data tables, which an
    article has whole where the expressions select a part of one.
    """
    ours, theirs, title = (IGNORED.sub("", text or "") for text in (article["text"], theirs, article.get("title")))
    for table in article.get("tables", ()):
        cells = IGNORED.sub("", "".join(cell for row in table["rows"] for cell in row))
        ours, theirs = ours.replace(cells, "", 1), theirs.replace(cells, "", 1)
    if ours.startswith(title) != theirs.startswith(title):
        ours, theirs = ours.removeprefix(title), theirs.removeprefix(title)
    if ours == theirs:
        return None
    at = next((i for i, (a, b) in enumerate(zip(ours, theirs)) if a != b), min(len(ours), len(theirs)))
    shown = slice(max(0, at - 20), at + 40)
    return f"at {at} of {len(ours)} and {len(theirs)}\n    ours   {ours[shown]!r}\n    theirs {theirs[shown]!r}"
