"""The plain-text markup our articles are written in, and how it becomes HTML and gold text.

A file of articles is a list of

    === slug
    key: value            (title, author, date, section, tags, lead)

    blocks, separated by blank lines
    --- comments          (optional)
    @Name, date time
    paragraphs

Blocks: paragraph · `## heading` · `- item` and `1. item` lists · `> quotation` · `| table | row |` ·
``` fenced code · `![alt](source) caption` · `!! pull quote` (repeats a sentence of the body).
Inline: *emphasis*, **strong**, `code`, [link](address).
"""
import hashlib
import html
import re
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent


@dataclass
class Article:
    slug: str
    title: str = ""
    author: str = ""
    date: str = ""
    section: str = ""
    tags: list = field(default_factory=list)
    lead: str = ""
    blocks: list = field(default_factory=list)  # (kind, content)
    comments: list = field(default_factory=list)  # (name, date, [paragraph])
    url: str = ""

    @property
    def day(self):
        return self.date[:10]


@dataclass
class Page:
    """One HTML page of a site as the crawl will hold it."""

    url: str
    html: str
    kind: str  # article, list or other
    layout: str
    title: str = ""  # what <title> says
    article: Article = None
    gold: str = ""
    duplicate_of: str = None


@dataclass
class Feed:
    file: str
    url: str
    media: str
    body: bytes
    links: list  # every item link, in order


# ---- reading ---------------------------------------------------------------------------------


def load(name):
    """The articles of data/sources/sites/NAME.txt, in the order they are written."""
    text = (HERE / "sites" / f"{name}.txt").read_text(encoding="utf-8")
    return [_article(part) for part in re.split(r"^=== ", text, flags=re.M)[1:]]


def _article(part):
    head, _, rest = part.partition("\n\n")
    slug, *lines = head.split("\n")
    a = Article(slug.strip())
    for line in lines:
        key, _, value = line.partition(": ")
        setattr(a, key, [t.strip() for t in value.split(",")] if key == "tags" else value.strip())
    body, _, comments = rest.partition("\n--- comments\n")
    a.blocks = list(_blocks(body.strip("\n")))
    for entry in re.split(r"^@", comments, flags=re.M)[1:]:
        who, _, said = entry.strip().partition("\n")
        name, _, date = who.partition(", ")
        a.comments.append((name, date, said.split("\n")))
    return a


def _blocks(text):
    for chunk in _chunks(text):
        lines = chunk.split("\n")
        first = lines[0]
        if first.startswith("```"):
            yield "code", (first[3:], "\n".join(lines[1:-1]))
        elif first.startswith("## "):
            yield "h2", first[3:]
        elif first.startswith("- "):
            yield "ul", [line[2:] for line in lines]
        elif re.match(r"\d+\. ", first):
            yield "ol", [line.split(". ", 1)[1] for line in lines]
        elif first.startswith("> "):
            yield "quote", first[2:]
        elif first.startswith("!! "):
            yield "pull", first[3:]
        elif first.startswith("| "):
            yield "table", [[c.strip() for c in line.strip("| ").split("|")] for line in lines]
        elif first.startswith("!["):
            alt, src, caption = re.match(r"!\[(.*?)\]\((.*?)\) (.*)", first).groups()
            yield "figure", (alt, src, caption)
        else:
            assert len(lines) == 1, f"a paragraph is one line: {chunk[:60]}"
            yield "p", first


def _chunks(text):
    """Split at blank lines, but not inside fenced code."""
    out, inside = [[]], False
    for line in text.split("\n"):
        if line.startswith("```"):
            inside = not inside
        if not line and not inside:
            out.append([])
        else:
            out[-1].append(line)
    return ["\n".join(lines) for lines in out if lines]


# ---- gold ------------------------------------------------------------------------------------


def plain(text):
    """Inline markup taken off."""
    return re.sub(r"\*\*(.+?)\*\*|\*(.+?)\*|`(.+?)`|\[(.+?)\]\(.+?\)", lambda m: m[1] or m[2] or m[3] or m[4], text)


def gold(article, standfirst=False):
    """The body as a reader would copy it: blocks separated by blank lines, one line per item or row."""
    out = [article.lead] if standfirst else []
    for kind, content in article.blocks:
        if kind in ("p", "h2", "quote"):
            out.append(plain(content))
        elif kind in ("ul", "ol"):
            out.append("\n".join(plain(item) for item in content))
        elif kind == "table":
            out.append("\n".join(" ".join(map(plain, row)) for row in content))
        elif kind == "code":
            out.append(content[1])
        elif kind == "figure":
            out.append(plain(content[2]))
    return "\n\n".join(out)


# ---- HTML ------------------------------------------------------------------------------------


def esc(text):
    return html.escape(text, quote=True)


class Html:
    """Ordinary markup for each kind of block. Sites override what they do differently."""

    def inline(self, text):
        text = html.escape(text, quote=False)
        text = re.sub(r"`(.+?)`", r"<code>\1</code>", text)
        text = re.sub(r"\[(.+?)\]\((.+?)\)", r'<a href="\2">\1</a>', text)
        text = re.sub(r"\*\*(.+?)\*\*", self.strong, text)
        return re.sub(r"\*(.+?)\*", self.em, text)

    def strong(self, m):
        return f"<strong>{m[1]}</strong>"

    def em(self, m):
        return f"<em>{m[1]}</em>"

    def p(self, text):
        return f"<p>{self.inline(text)}</p>"

    def h2(self, text):
        return f"<h2>{self.inline(text)}</h2>"

    def ul(self, items, tag="ul"):
        return f"<{tag}>\n" + "\n".join(f"<li>{self.inline(i)}</li>" for i in items) + f"\n</{tag}>"

    def ol(self, items):
        return self.ul(items, "ol")

    def quote(self, text):
        return f"<blockquote><p>{self.inline(text)}</p></blockquote>"

    def pull(self, text):
        return f'<aside class="pullquote">{self.inline(text)}</aside>'

    def table(self, rows):
        head, *rest = rows
        out = ["<table>", "<thead><tr>" + "".join(f"<th>{self.inline(c)}</th>" for c in head) + "</tr></thead>", "<tbody>"]
        out += ["<tr>" + "".join(f"<td>{self.inline(c)}</td>" for c in row) + "</tr>" for row in rest]
        return "\n".join(out + ["</tbody>", "</table>"])

    def code(self, content):
        language, text = content
        return f'<pre><code class="language-{language}">{html.escape(text, quote=False)}</code></pre>'

    def figure(self, content):
        alt, src, caption = content
        return f'<figure><img src="{src}" alt="{esc(alt)}"><figcaption>{self.inline(caption)}</figcaption></figure>'

    def body(self, article, inserts=None):
        """All blocks; `inserts` maps a block number to HTML that stands after that block."""
        out = []
        for i, (kind, content) in enumerate(article.blocks):
            out.append(getattr(self, kind)(content))
            out += (inserts or {}).get(i, [])
        return "\n".join(out)


# ---- small things every site needs -----------------------------------------------------------


def digest(*keys):
    return hashlib.sha256("\x00".join(map(str, keys)).encode()).hexdigest()


def number(low, high, *keys):
    """A number that looks arbitrary but depends on the keys only."""
    return low + int(digest(*keys), 16) % (high - low)


def pick(choices, *keys):
    return choices[number(0, len(choices), *keys)]


def others(articles, article, count):
    """`count` siblings of an article, a different choice for each."""
    rest = sorted((a for a in articles if a is not article), key=lambda a: digest(article.slug, a.slug))
    return rest[:count]


def links(pairs, pattern='<li><a href="{0}">{1}</a></li>', sep="\n"):
    return sep.join(pattern.format(esc(href), esc(text)) for href, text in pairs)
