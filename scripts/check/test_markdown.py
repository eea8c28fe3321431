"""The Markdown of articles, rendered by markdown-it-py, has the words and links of their HTML, in order.

Links are compared that have words or a picture, except those in code blocks and to places of the article, and pictures that are
embedded in the page. Also prints how much Markdown adds to the size of articles.jsonl.
"""
import json
import re
from collections import Counter

import html5lib
from markdown_it import MarkdownIt

BLOCKS = set(
    "figure figcaption section aside details summary dl dt dd caption tfoot h1 h2 h3 h4 h5 h6 address p div li ul ol table tr td th "
    "blockquote pre br hr thead tbody".split()
)
SPACE = re.compile("[\\s\u200b\ufeff\x1c-\x1f]+")
FOOTNOTE = re.compile(r"^\[\^(\w+)\]: ", re.M)


def replace_footnotes(markdown):
    """Markdown with footnotes as paragraphs and the references to them as their labels, which CommonMark does not have."""
    labels = set(FOOTNOTE.findall(markdown))
    for label in labels:
        markdown = re.sub(rf"^\[\^{label}\]: ", "", markdown, flags=re.M).replace(f"[^{label}]", label)
    return markdown, labels


def read_html(html, labels=()):
    """The words of a fragment, and its links. Links to notes below with these labels are labels without brackets."""
    root = html5lib.parseFragment(html, namespaceHTMLElements=False)
    words, links, above = [], Counter(), set()
    # Without recursion: pages are nested deeper than Python's recursion limit.
    stack = [(root, False)]
    while stack:
        node, in_code = stack.pop()
        if isinstance(node, str):
            words.append(node)
            continue
        if not isinstance(node.tag, str):
            continue
        in_code |= node.tag == "pre"
        if node.tag.endswith("math"):
            tex = [a for a in node.iter() if str(a.tag).endswith("annotation")]
            words.append(" ".join("".join((tex or [node])[0].itertext()).split()))
            continue
        if node.tag in ("video", "audio"):
            words.append(f" {node.get('title') or node.get('src')} ")
            links[node.get("src")] += 1
            continue
        if node.tag == "a" and not node.get("href", "#").startswith("#") and not in_code:
            pictures = [i for i in node.iter("img") if not i.get("src", "data:").startswith("data:")]
            if pictures or SPACE.sub("", "".join(node.itertext())):
                links[node.get("href").replace("`", "%60")] += 1
        label = "".join(node.itertext()).strip().strip("[]().") if node.tag == "a" else None
        above.add("#" + node.get("id", ""))
        if label in labels and node.get("href", "").startswith("#") and node.get("href") not in above:
            words.append(label)
            continue
        edge = " " if node.tag in BLOCKS else ""
        words.append(edge)
        stack.append((edge, in_code))
        for child in reversed(node):
            stack += [(child.tail or "", in_code), (child, in_code)]
        words.append(node.text or "")
    return split("".join(words)), links


def split(text):
    return [word for word in SPACE.split(text) if word]


def test_markdown(articles, problems):
    renderer = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    renderer.validateLink, renderer.normalizeLink = lambda url: True, lambda url: url
    checked = [article for article in articles if "markdown" in article]
    assert checked, "no article has Markdown: make the run with --markdown"
    links_checked = added = 0
    for article in checked:
        added += len(json.dumps({"markdown": article["markdown"]}, ensure_ascii=False).encode()) - 2
        markdown, labels = replace_footnotes(article["markdown"])
        words, links = read_html(renderer.render(markdown))
        expected, expected_links = read_html(article["html"], labels)
        expected = expected if article["html"] else split(article["text"])
        if words != expected:
            at = next((i for i, (a, b) in enumerate(zip(words, expected)) if a != b), min(len(words), len(expected)))
            problems.append(f"{article['url']}: at word {at}: html {expected[at:at + 8]}, Markdown {words[at:at + 8]}")
        if article["html"]:
            links_checked += sum(expected_links.values())
            if set(links) != set(expected_links):
                lost, new = set(expected_links) - set(links), set(links) - set(expected_links)
                problems.append(f"{article['url']}: links lost {lost}, new {new}")
    whole = sum(len(json.dumps(article, ensure_ascii=False, separators=(",", ":")).encode()) + 1 for article in articles)
    print(f"{len(checked)} articles with {links_checked} links; Markdown makes articles.jsonl {100 * added / (whole - added):.0f} % larger")
