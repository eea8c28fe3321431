"""Wrappers of a run, applied by independent engines to the pages of its inputs.

The `xpath` of an article without its `prune` and up to its `cut` gives its text, except for white space, in lxml over html5lib's parse
and in Chromium over its own; a share of --at-least (0.99) of the pages must agree. Pages with a cut do not count: it applies to one page
and uses positions, which parsers that repair tables differently count differently.

The files of the output `siteconfig`, read as readers of the format do, give the article's text (a share of 0.9 at least: a file cannot
express cuts of a single page), and its title and authors, if the file has expressions for them.
"""
import hashlib
import multiprocessing
import re
from collections import Counter
from urllib.parse import urlsplit

import pytest
import replay

# Pages that are replayed in the browser: those with the smallest hashes of their addresses.
IN_BROWSER = 200
# Takes the page's HTML, the expressions, and the elements that our own tree leaves out. Without recursion, because pages
# are deeply nested; the states are those of `replay.render`.
REPLAY = """([html, content, prune, cut, dropped]) => {
  const page = new DOMParser().parseFromString(html, "text/html");
  const left = new Set(dropped);
  const select = (expression) => {
    const found = page.evaluate(expression, page, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null);
    return Array.from({length: found.snapshotLength}, (_, at) => found.snapshotItem(at));
  };
  const marks = new Map();
  for (const node of content.flatMap(select)) marks.set(node, true);
  for (const node of prune.flatMap(select)) marks.set(node, false);
  const end = cut === null ? null : select(cut)[0];
  if (end === undefined) throw new Error("nothing is at the cut " + cut);
  const isPermanentLink = (node) => node.localName === "a" && (node.getAttribute("href") || "").includes("#")
    && node.textContent.trim() && !/[\\p{L}\\p{N}]/u.test(node.textContent);
  const out = [];
  const stack = [[page.documentElement, null]];
  while (stack.length) {
    const [node, above] = stack.pop();
    const element = node.nodeType === Node.ELEMENT_NODE;
    if (!element && node.nodeType !== Node.TEXT_NODE) continue;
    if (element && (node.namespaceURI !== "http://www.w3.org/1999/xhtml" || left.has(node.localName))) continue;
    if (element && isPermanentLink(node)) continue;
    if (node === end) break;
    const mark = marks.get(node);
    const state = above === null ? (mark ? true : null) : (mark === false ? false : above);
    if (!element && state) out.push(node.data);
    for (let child = node.lastChild; child; child = child.previousSibling) stack.push([child, state]);
  }
  return out.join("");
}"""
HIDDEN = (
    "//*[contains(concat(' ',normalize-space(@class),' '),' entry-unrelated ')]",
    "//*[contains(concat(' ',normalize-space(@class),' '),' instapaper_ignore ')]",
    "//*[contains(@style,'display:none') or contains(@style,'visibility:hidden')]",
)


@pytest.fixture
def from_wrappers(articles):
    return [article for article in articles if article["xpath"] and article["route"] == "wrapper"]


def judge(results, articles, at_least):
    """Prints what differs; fails if too few of the pages without a cut agree, or an article is in none of the inputs."""
    seen, agree = Counter(), Counter()
    for article, problem in results:
        with_cut = article.get("cut") is not None
        seen[with_cut] += 1
        agree[with_cut] += not problem
        if problem:
            print(article["url"], article["xpath"], article["prune"], article.get("cut"), problem, sep="\n    ")
    print(f"{agree[False]} of {seen[False]} pages agree; of those with a cut {agree[True]} of {seen[True]}")
    assert seen.total() == len(articles), f"{len(articles) - seen.total()} articles are in none of the inputs"
    assert seen.total() and agree[False] >= at_least * seen[False]


def replay_in_lxml(job):
    article, data = job
    try:
        root = replay.parse(replay.decode(data, article["charset"]))
        text = replay.render(root, article["xpath"], article["prune"], article.get("cut"))
    except Exception as error:  # whatever it is, the page does not agree
        return article, f"{type(error).__name__}: {error}"
    return article, replay.compare(article, text)


def test_wrappers_in_lxml(from_wrappers, inputs, option):
    with multiprocessing.Pool() as pool:
        results = pool.imap(replay_in_lxml, replay.find_pages(from_wrappers, inputs), chunksize=4)
        judge(results, from_wrappers, option.at_least or 0.99)


def test_wrappers_in_a_browser(from_wrappers, inputs, option, chromium):
    def replay_each(page):
        for article, data in replay.find_pages(chosen, inputs):
            try:
                html = replay.decode(data, article["charset"])
                text = page.evaluate(REPLAY, [html, article["xpath"], article["prune"], article.get("cut"), sorted(replay.DROPPED)])
                yield article, replay.compare(article, text)
            except Exception as error:  # whatever it is, the page does not agree
                yield article, str(error)

    chosen = sorted(from_wrappers, key=lambda article: hashlib.sha256(article["url"].encode()).digest())[:IN_BROWSER]
    with chromium.new_context() as context:
        judge(replay_each(context.new_page()), chosen, option.at_least or 0.99)


def read_site_config(path):
    """Directives by name, each a list of values in the order of lines."""
    directives = {}
    for line in path.read_text(encoding="utf-8").split("\n"):
        name, _, value = line.strip().partition(":")
        if value.strip() and not name.startswith("#"):
            directives.setdefault(name.strip(), []).append(value.strip())
    return directives


def find_site_config(folder, url):
    host = (urlsplit(url).hostname or "").removeprefix("www.")
    return next((folder / name for name in (f"{host}.txt", f".{host.partition('.')[2]}.txt") if (folder / name).is_file()), None)


def remove(element):
    """Removes an element, and leaves the text after it in place."""
    parent, before = element.getparent(), element.getprevious()
    if parent is None:
        return
    if element.tail and before is not None:
        before.tail = (before.tail or "") + element.tail
    elif element.tail:
        parent.text = (parent.text or "") + element.tail
    parent.remove(element)


def extract_value(tree, expressions, every=False):
    """The result of the first expression that gives any; the elements it selects are removed."""
    for expression in expressions:
        found = tree.xpath(expression)
        found = (found if isinstance(found, list) else [found])[: None if every else 1]
        texts = [" ".join((n if isinstance(n, str) else "".join(n.itertext())).split()) for n in found]
        if any(texts):
            for node in found:
                if not isinstance(node, str):
                    remove(node)
            return [text for text in texts if text]
    return []


def apply_site_config(job):
    """Problems with the text, the title and the authors; None if they agree, "" if the file has no expression."""
    article, data, path = job
    directives = read_site_config(path)
    try:
        tree = replay.parse(replay.decode(data, article["charset"])).getroottree()
        title = extract_value(tree, directives.get("title", []))
        authors = extract_value(tree, directives.get("author", []), every=True)
        extract_value(tree, directives.get("date", []))
        for expression in (*directives.get("strip", []), *HIDDEN):
            for node in tree.xpath(expression):
                if not isinstance(node, str):
                    remove(node)
        body = next((body for body in directives.get("body", []) if tree.xpath(body)), None)
        text = replay.render(tree.getroot(), [body] if body else [], [])
    except Exception as error:  # whatever it is, the page does not agree
        return article, {"texts": f"{type(error).__name__}: {error}"}
    found = {"texts": replay.compare(article, text)}
    if title:
        found["titles"] = None if title[0] == article["title"] else f"{title} is not {article['title']!r}"
    if authors:
        found["authors"] = None if authors == article["authors"] else f"{authors} are not {article['authors']}"
    return article, found


def test_site_configs(run, from_wrappers, inputs, option):
    folder, seen, agree = run / "site-config", Counter(), Counter()
    assert folder.is_dir(), f"{folder} is not there: make the run with --sinks jsonl,siteconfig"
    articles = [article for article in from_wrappers if article["engine"] != "site-config"]
    files = {article["url"]: find_site_config(folder, article["url"]) for article in articles}
    without = [url for url, file in files.items() if file is None and re.match("https?:", url)]
    jobs = ((article, data, file) for article, data in replay.find_pages(articles, inputs) if (file := files[article["url"]]))
    with multiprocessing.Pool() as pool:
        for article, found in pool.imap_unordered(apply_site_config, jobs, chunksize=8):
            for kind, problem in found.items():
                seen[kind] += 1
                agree[kind] += problem is None
                if problem:
                    print(f"{article['url']}: {kind}: {problem}")
    print(", ".join(f"{agree[kind]} of {seen[kind]} {kind} agree" for kind in seen))
    assert not without
    assert seen["texts"] and agree["texts"] >= (option.at_least or 0.9) * seen["texts"]
