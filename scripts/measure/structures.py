"""Structures of an article, read from its Markdown or HTML, and how well they agree with those of another.

One reader is used for every extractor and for the gold: Markdown is rendered by markdown-it-py (CommonMark, with the tables of GitHub,
footnotes and definition lists), and the HTML is read by lxml. Formulas are between the signs that TeX, Markdown and MathJax know
(`$…$`, `$$…$$`, `\\(…\\)`, `\\[…\\]`), in `math` elements (their TeX annotation, else `alttext`, `data-latex`, else their text), or in
`script type="math/tex"`.
"""
import re
from html import escape, unescape
from typing import NamedTuple

import lxml.html
from apted import APTED, Config
from markdown_it import MarkdownIt
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin
from rapidfuzz.distance import Indel, Levenshtein

WORD = re.compile(r"\w+")
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
IN_TEXT = re.compile(r"\\\((.+?)\\\)|\\\[(.+?)\\\]|\$\$(.+?)\$\$|\$(?=\S)([^$]*?[^\s$\\])\$(?!\d)", flags=re.S)
SYNONYMS = {"cfrac": r"\frac", "dfrac": r"\frac", "tfrac": r"\frac", "neq": r"\ne", "leq": r"\le", "geq": r"\ge", "rightarrow": r"\to", "lbrace": r"\{", "rbrace": r"\}", "vert": "|", "lvert": "|", "rvert": "|"}
TICK = re.compile(r"^\s*\[[ xX]\]")
DEEPEST = 200


class Structures(NamedTuple):
    """What is compared, each in the order of the page."""

    code: list
    """Listings, as they are."""
    formulas: list
    """TeX, normalised."""
    tables: list
    """Tables: parts (head or body) of rows of cells (their spans and text)."""
    headings: list
    """Pairs of a level and words."""
    items: list
    """Items of lists: depth, kind of list, and their own words."""


def read_brackets(state, silent):
    """A rule of markdown-it: formulas between `\(` and `\)`, and paragraphs between `\[` and `\]`, which are else escaped brackets."""
    opening = state.src[state.pos : state.pos + 2]
    if opening not in ("\\(", "\\["):
        return False
    end = state.src.find({"\\(": "\\)", "\\[": "\\]"}[opening], state.pos)
    is_paragraph = state.pos == 0 and end + 2 == len(state.src.rstrip())
    # `\[1\]` is a mark in brackets.
    if end < 0 or opening == "\\[" and (not is_paragraph or state.src[state.pos + 2 : end].strip().isalnum()):
        return False
    if not silent:
        state.push("math_inline", "math", 0).content = state.src[state.pos + 2 : end]
    state.pos = end + 2
    return True


def make_markdown():
    markdown = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    markdown.use(footnote_plugin).use(deflist_plugin).use(dollarmath_plugin, allow_labels=False, double_inline=True)
    markdown.inline.ruler.before("escape", "brackets", read_brackets)
    for kind in ("math_inline", "math_inline_double", "math_block"):
        markdown.add_render_rule(kind, lambda self, tokens, at, *_: f'<math alttext="{escape(tokens[at].content)}"></math>')
    return markdown


MARKDOWN = make_markdown()


def normalize_tex(tex):
    """TeX without what makes no difference to the formula: white space, braces around a single sign, which of two commands for the same
    thing is used, and what MediaWiki and Sphinx add."""
    tex = re.sub(r"^\{\\displaystyle (.*)\}$", r"\1", tex.strip(), flags=re.S)
    tex = re.sub(r"\\(begin|end)\{split\}", "", tex)
    tex = re.sub(rf"\\({'|'.join(SYNONYMS)})(?![A-Za-z])", lambda match: SYNONYMS[match[1]], tex)
    tex = re.sub(r"(\\[A-Za-z]+)\s+(?=[A-Za-z])", "\\1\0", tex)
    tex = re.sub(r"[ \t\r\n~]+", "", tex)
    # A command ends before a letter.
    tex = re.sub(r"\{(\\[A-Za-z]+)\}(?=[A-Za-z])", "\\1\0", tex)
    return re.sub(r"\{(\w|\\[A-Za-z]+)\}", r"\1", tex).replace("\0", " ")


def split_words(text):
    return " ".join(WORD.findall(text.lower()))


class Reader:
    """Reads a tree in its order. What is a formula, a listing, or a list or table of its own is no text of what is around it."""

    def __init__(self, html, title):
        self.found, self.title = Structures([], [], [], [], []), split_words(title)
        root = lxml.html.fragment_fromstring(html, create_parent="div") if html.strip() else lxml.html.Element("div")
        self.read(root, ())

    def read(self, element, around):
        """The text of an element. `around` are the names of the elements around it."""
        tag = element.tag if isinstance(element.tag, str) else "comment"
        if len(around) > DEEPEST or tag in ("style", "comment", "head", "title", "noscript"):
            return ""
        if tag == "math":
            return self.add_formula(read_math(element))
        if tag == "script":
            return self.add_formula(unescape(element.text or "")) if (element.get("type") or "").startswith("math/tex") else ""
        if tag == "pre":
            self.found.code.append(read_listing(element))
            return ""
        if tag == "br":
            return " "
        if tag == "table" and "table" not in around:
            # Filled while it is read: tables are in the order of their beginnings.
            self.found.tables.append([])
        at = len(self.found.items)
        if tag == "li":
            self.found.items.append(None)
        parts, inside = [self.read_text(element.text, around)], (*around, tag)
        for child in element:
            parts += [self.read(child, inside), self.read_text(child.tail, inside)]
        text = "".join(parts)
        if tag in HEADINGS and split_words(text) not in ("", self.title):
            self.found.headings.append((int(tag[1]), split_words(text)))
        if tag == "li":
            lists = [name for name in around if name in ("ul", "ol")]
            self.found.items[at] = (len(lists), lists[-1] if lists else "ul", split_words(TICK.sub("", text)))
            return ""
        if tag == "tr" and inside.count("table") == 1:
            self.add_row(element, around)
        if tag in ("td", "th") and around.count("table") == 1:
            element.set("data-read", " ".join(text.split()))
        return f" {text} " if tag in ("p", "div", "td", "th", "dt", "dd", "h1", "h2", "h3", "h4") else text

    def read_text(self, text, around):
        if not text or "code" in around:
            return text or ""

        def replace(match):
            return self.add_formula(next(filter(None, match.groups())))

        return IN_TEXT.sub(replace, text) if "$" in text or "\\" in text else text

    def add_formula(self, tex):
        if normalize_tex(tex):
            self.found.formulas.append(normalize_tex(tex))
        return " "

    def add_row(self, row, around):
        cells = [cell for cell in row if cell.tag in ("td", "th")]
        is_first = not self.found.tables[-1]
        is_head = "thead" in around or is_first and bool(cells) and all(cell.tag == "th" for cell in cells)
        if any(cell.get("data-read") for cell in cells):
            self.found.tables[-1].append((is_head, [(cell.get("colspan") or "1", cell.get("rowspan") or "1", cell.get("data-read") or "") for cell in cells]))


def read_math(math):
    for own in math.iter("annotation"):
        if "tex" in (own.get("encoding") or "").lower():
            return own.text_content()
    return math.get("alttext") or math.get("data-latex") or math.text_content()


def read_listing(pre):
    for line_break in pre.iter("br"):
        line_break.tail = "\n" + (line_break.tail or "")
    return pre.text_content().removesuffix("\n")


def read_html(html, title=""):
    """The structures of HTML, without headings that are the title."""
    return Reader(html, title).found


def read_markdown(text, title=""):
    """The structures of Markdown, likewise."""
    return read_html(MARKDOWN.render(text), title)


class Costs(Config):
    """Costs of the tree edit distance of tables (Zhong, ShafieiBavani and Jimeno Yepes 2020, TEDS): a node costs 1, and a cell that is kept
    costs 1 if its spans differ, else the edit distance of its text over the length of the longer one."""

    def children(self, node):
        return node[1]

    def rename(self, first, second):
        (first, _), (second, _) = first, second
        if first[0] != second[0] or first[1:3] != second[1:3]:
            return 1.0
        return Levenshtein.normalized_distance(first[3], second[3])


def make_tree(rows):
    parts = []
    for name, wanted in (("thead", True), ("tbody", False)):
        own = [(("tr", "", "", ""), [(("td", *cell), []) for cell in cells]) for is_head, cells in rows if is_head == wanted]
        parts += [((name, "", "", ""), own)] if own else []
    return ("table", "", "", ""), parts


def count_nodes(tree):
    return 1 + sum(map(count_nodes, tree[1]))


def score_table(first, second):
    """TEDS: 1 − the tree edit distance of two tables over the size of the larger one."""
    if first == second:
        return 1.0
    first, second = make_tree(first), make_tree(second)
    return max(0.0, 1 - APTED(first, second, Costs()).compute_edit_distance() / max(count_nodes(first), count_nodes(second)))


def score_tables(gold, found):
    """The sum of TEDS of tables that are paired in order so that it is greatest, over the number of tables of the side that has more."""
    best = [[0.0] * (len(found) + 1) for _ in range(len(gold) + 1)]
    for i, own in enumerate(gold, 1):
        for j, other in enumerate(found, 1):
            best[i][j] = max(best[i - 1][j], best[i][j - 1], best[i - 1][j - 1] + score_table(own, other))
    return best[-1][-1] / max(len(gold), len(found))


def score_texts(gold, found):
    """1 − Levenshtein distance over the length of the longer one, of all texts in order, each on lines of its own."""
    return Levenshtein.normalized_similarity("\n".join(gold), "\n".join(found))


def score_f1(gold, found):
    """F1 of entries, in order: twice the length of the longest common subsequence over both lengths."""
    return Indel.normalized_similarity(gold, found)


MEASURES = {"code": score_texts, "formulas": score_texts, "tables": score_tables, "headings": score_f1, "items": score_f1}


def score(gold, found):
    """The measures by name; None for what the gold has none of."""
    return {name: own(getattr(gold, name), getattr(found, name)) if getattr(gold, name) else None for name, own in MEASURES.items()}
