"""Sites of made-up articles, written by the real renderers: articles in Markdown in, pages out.

A site has one renderer of text, one highlighter, one renderer of formulas, and one shell (header, navigation, teasers, comments, footer).
The shells of Sphinx and MkDocs are their own themes.
"""
import html
import json
import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import lib
import markdown_sources

SCRIPT = Path(__file__).with_name("renderers.mjs")
NODE_PACKAGES = {
    "@mdit/plugin-tex": "0.22.0", "@mdx-js/mdx": "3.1.1", "@mozilla/readability": "0.6.0", "defuddle": "0.19.4", "highlight.js": "11.12.0",
    "highlightjs-copy": "1.0.6", "highlightjs-line-numbers.js": "2.9.1", "jsdom": "26.1.0", "katex": "0.19.1", "markdown-it": "14.1.0",
    "markdown-it-anchor": "9.2.0", "markdown-it-container": "4.0.0", "markdown-it-deflist": "3.0.0", "markdown-it-footnote": "4.0.0",
    "markdown-it-task-lists": "2.1.1", "mathjax": "4.1.3", "mathjax-full": "3.2.2", "prism-react-renderer": "2.4.1", "prismjs": "1.30.0",
    "react": "19.3.1", "react-dom": "19.3.1", "rehype-katex": "7.0.1", "rehype-pretty-code": "0.14.6", "rehype-slug": "6.0.0",
    "remark-directive": "4.0.0", "remark-gfm": "4.0.1", "remark-math": "6.0.0", "shiki": "3.23.0", "turndown": "7.2.5",
    "turndown-plugin-gfm": "1.0.2",
}
PYTHON_PACKAGES = ["Markdown==3.11.3", "Pygments==2.21.0", "Sphinx==9.0.4", "furo==2025.12.19", "mkdocs==1.6.1", "mkdocs-material==9.8.2",
                   "myst-parser==5.2.0", "pymdown-extensions==13.1.2", "sphinx-rtd-theme==3.1.0"]


class Site(NamedTuple):
    """How a site is made: `code` and `math` are options of its engine, `shell` is a function or the theme of the engine."""

    engine: str
    code: str
    math: str
    shell: object


class Article(NamedTuple):
    """An article in its place."""

    title: str
    contents: str
    address: str


def prose(chance, count=1):
    def sentence():
        parts = (markdown_sources.SUBJECTS, markdown_sources.VERBS, markdown_sources.OBJECTS, markdown_sources.ENDINGS)
        return " ".join(chance.choice(part) for part in parts).capitalize() + "."

    return " ".join(sentence() for _ in range(count))


def write_links(articles, form='<li><a href="{0.address}">{0.title}</a></li>'):
    return "\n".join(form.format(own) for own in articles)


def write_head(site, article):
    return f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{article.title} | {site}</title>\n<meta property="og:title" content="{article.title}">\n<link rel="stylesheet" href="/style.css">\n</head>\n'


# Shells: functions from the site's name, the article, its siblings and chance to a page.


def write_magazine(site, article, others, chance):
    """HTML5 elements, a sidebar, teasers with excerpts, comments as a list."""
    teasers = "".join(f'<article class="teaser"><h3><a href="{own.address}">{own.title}</a></h3><p>{prose(chance, 2)}</p></article>' for own in others[:3])
    comments = "".join(f'<li class="comment"><div class="comment__meta"><b>{name}</b> <time>May {at + 3}</time></div><p>{prose(chance, 2)}</p></li>' for at, name in enumerate(["Ada", "Boris", "Chen"]))
    return f"""{write_head(site, article)}<body>
<header class="masthead"><a href="/" class="masthead__logo">{site}</a><nav><ul><li><a href="/">Home</a></li><li><a href="/topics/">Topics</a></li><li><a href="/about/">About</a></li></ul></nav></header>
<main class="layout"><article class="post"><header><h1>{article.title}</h1><p class="post__meta">By <a rel="author" href="/people/mira">Mira Holm</a> on <time datetime="2025-04-{chance.randint(10, 28)}">April 2025</time> · {chance.randint(3, 9)} min read</p></header>
<div class="post__body">
{article.contents}
</div>
<ul class="share"><li><a href="https://social.example/?u={article.address}">Share</a></li><li><a href="mailto:?subject=x">Mail</a></li></ul></article>
<aside class="sidebar"><section><h2>Most read</h2><ol>{write_links(others)}</ol></section><section><h2>Newsletter</h2><form><p>{prose(chance)}</p><input type="email"><button>Subscribe</button></form></section></aside></main>
<section class="related"><h2>Read next</h2>{teasers}</section>
<section id="comments"><h2>{chance.randint(3, 9)} comments</h2><ol class="comments">{comments}</ol></section>
<footer><h4>{site}</h4><ul><li><a href="/imprint">Imprint</a></li><li><a href="/privacy">Privacy</a></li></ul><p>© 2025 {site}. All rights reserved.</p></footer>
</body></html>"""


def write_weblog(site, article, others, chance):
    """Elements without meaning, named by ids and classes, comments with code."""
    comments = "".join(f'<div class="cmt" id="c{at}"><span class="who">{name} said:</span><div class="txt"><p>{prose(chance, 2)}</p><pre><code>x = {at}\nprint(x)</code></pre></div></div>' for at, name in enumerate(["guest", "pike"]))
    return f"""{write_head(site, article)}<body class="single"><div id="wrap"><div id="top"><div id="title"><a href="/">{site}</a></div><div id="tagline">{prose(chance)}</div>
<div id="menu"><a href="/">Home</a> | <a href="/archive">Archive</a> | <a href="/feed.xml">RSS</a></div></div>
<div id="content"><div class="entry"><h1 class="entry-title">{article.title}</h1><div class="date">{chance.randint(10, 28)}.04.2025, 10:{chance.randint(10, 59)}</div><div class="entry-content">
{article.contents}
</div><div class="postinfo">Filed under <a href="/c/{chance.choice(markdown_sources.WORDS)}">{chance.choice(markdown_sources.WORDS)}</a></div></div>
<div id="prevnext"><a href="{others[0].address}">« {others[0].title}</a> <a href="{others[1].address}">{others[1].title} »</a></div>
<div id="cmts"><h3>Comments</h3>{comments}<h3>Leave a reply</h3><form action="/c"><textarea name="c"></textarea><input type="submit" value="Send"></form></div></div>
<div id="side"><h3>Recent</h3><ul>{write_links(others)}</ul><h3>Tags</h3><p>{" ".join(f'<a href="/t/{word}">{word}</a>' for word in chance.sample(markdown_sources.WORDS, 8))}</p></div>
<div id="foot">Powered by nothing. <a href="#top">Back to top</a></div></div></body></html>"""


def write_utility(site, article, others, chance):
    """Classes that say how it looks, teasers as cards, the headline outside of the text."""
    cards = "".join(f'<a class="block rounded-lg border p-4 hover:shadow" href="{own.address}"><div class="text-sm text-gray-500">Engineering</div><div class="mt-2 text-lg font-semibold">{own.title}</div><div class="mt-1 text-gray-600">{prose(chance)}</div></a>' for own in others[:3])
    return f"""{write_head(site, article)}<body class="antialiased bg-white"><div id="__next"><div class="sticky top-0 z-40 flex items-center justify-between border-b px-6 py-4"><a class="font-bold" href="/">{site}</a><div class="flex gap-4 text-sm"><a href="/blog">Blog</a><a href="/pricing">Pricing</a><a href="/docs">Docs</a><button class="rounded bg-black px-3 py-1 text-white">Sign in</button></div></div>
<div class="mx-auto max-w-3xl px-6 pt-16"><div class="text-sm text-gray-500">April {chance.randint(10, 28)}, 2025</div><h1 class="mt-2 text-4xl font-bold tracking-tight">{article.title}</h1><div class="mt-6 flex items-center gap-3"><img class="h-10 w-10 rounded-full" src="/a.png" alt=""><div><div class="font-medium">Tove Lind</div><div class="text-gray-500">Engineer</div></div></div></div>
<div class="mx-auto max-w-3xl px-6 py-10"><div class="prose prose-lg">
{article.contents}
</div></div>
<div class="border-t bg-gray-50 px-6 py-12"><div class="mx-auto max-w-5xl"><div class="text-2xl font-bold">Keep reading</div><div class="mt-6 grid grid-cols-3 gap-6">{cards}</div></div></div>
<div class="px-6 py-12 text-sm text-gray-500"><div class="grid grid-cols-2"><ul><li><a href="/terms">Terms</a></li><li><a href="/status">Status</a></li></ul><div>© {site}</div></div></div></div></body></html>"""


def write_manual(site, article, others, chance):
    """A tree of pages on the left, a table of contents on the right, links to neighbours."""
    headings = re.findall(r'<h([23])[^>]*?(?: id="([^"]*)")?[^>]*>(.*?)</h\1>', article.contents, flags=re.S)
    contents = "".join(f'<li class="toc-l{level}"><a href="#{name}">{re.sub("<.*?>|#", "", text).strip()}</a></li>' for level, name, text in headings)
    return f"""{write_head(site, article)}<body><div class="navbar"><div class="navbar__inner"><a class="navbar__brand" href="/"><b>{site}</b></a><a class="navbar__item" href="/docs">Docs</a><a class="navbar__item" href="/blog">Blog</a><button class="DocSearch">Search <kbd>K</kbd></button></div></div>
<div class="main-wrapper"><aside class="sidebarContainer"><nav aria-label="Docs sidebar"><ul class="menu__list"><li><a class="menu__link" href="/docs/start">Getting started</a></li>{write_links([article, *others], '<li class="menu__list-item"><a class="menu__link" href="{0.address}">{0.title}</a></li>')}</ul></nav></aside>
<main class="docMainContainer"><div class="row"><div class="col docItemCol"><nav class="breadcrumbs"><ul><li><a href="/">Home</a></li><li><span>{article.title}</span></li></ul></nav><div class="theme-doc-markdown markdown"><header><h1>{article.title}</h1></header>
{article.contents}
</div><footer class="theme-doc-footer"><a href="https://git.example/edit">Edit this page</a><span>Last updated on Apr {chance.randint(10, 28)}, 2025</span></footer><nav class="pagination-nav"><a class="pagination-nav__link" href="{others[0].address}"><div>Previous</div><div>{others[0].title}</div></a><a class="pagination-nav__link" href="{others[1].address}"><div>Next</div><div>{others[1].title}</div></a></nav></div>
<div class="col col--3"><div class="tableOfContents"><ul>{contents}</ul></div></div></div></main></div>
<footer class="footer"><div class="footer__links"><div class="footer__title">Docs</div><ul><li><a href="/docs/start">Tutorial</a></li></ul><div class="footer__title">More</div><ul><li><a href="/blog">Blog</a></li></ul></div><div>Copyright © 2025 {site}.</div></footer></body></html>"""


def write_wiki(site, article, others, chance):
    """Sections with links to edit them, a table of contents in the text, categories."""
    contents = re.sub(r"<h([2-4])([^>]*)>(.*?)</h\1>", r'<div class="mw-heading mw-heading\1"><h\1\2>\3</h\1><span class="mw-editsection"><span>[</span><a href="/edit"><span>edit</span></a><span>]</span></span></div>', article.contents, flags=re.S)
    entries = "".join(f'<li class="toclevel-1"><a href="#s{at}"><span class="tocnumber">{at}</span> <span class="toctext">{re.sub("<.*?>|#", "", text).strip()}</span></a></li>' for at, text in enumerate(re.findall(r"<h2[^>]*>(.*?)</h2>", article.contents, flags=re.S), 1))
    return f"""{write_head(site, article)}<body class="mediawiki ltr"><div id="content" class="mw-body" role="main"><h1 id="firstHeading" class="firstHeading">{article.title}</h1><div id="bodyContent"><div id="siteSub">From {site}</div><div id="jump-to-nav"></div><a class="mw-jump-link" href="#p-search">Jump to search</a>
<div id="mw-content-text" lang="en" dir="ltr"><div class="mw-parser-output"><div id="toc" class="toc" role="navigation"><div class="toctitle"><h2 id="mw-toc-heading">Contents</h2></div><ul>{entries}</ul></div>
{contents}
</div></div><div id="catlinks" class="catlinks"><a href="/Special:Categories">Categories</a>: <ul><li><a href="/c1">{chance.choice(markdown_sources.WORDS).title()}</a></li><li><a href="/c2">{chance.choice(markdown_sources.WORDS).title()}</a></li></ul></div></div></div>
<div id="mw-navigation"><h2>Navigation menu</h2><div id="p-personal"><ul><li><a href="/login">Log in</a></li></ul></div><div id="p-views"><h3>Views</h3><ul><li><a href="/r">Read</a></li><li><a href="/h">View history</a></li></ul></div><div id="p-nav"><h3>Navigation</h3><ul>{write_links(others)}</ul></div></div>
<div id="footer" role="contentinfo"><ul id="footer-info"><li>This page was last edited on {chance.randint(10, 28)} April 2025, at 10:{chance.randint(10, 59)}.</li></ul></div></body></html>"""


def write_hashed(site, article, others, chance):
    """Generated names of classes, a claps bar, an author's box, replies."""
    more = "".join(f'<div class="ab q hx"><div class="fn"><a href="{own.address}"><h2 class="be fo ip">{own.title}</h2><h3 class="be b iq">{prose(chance)}</h3></a></div><div class="lk">{chance.randint(2, 900)}</div></div>' for own in others[:4])
    return f"""{write_head(site, article)}<body><div id="root"><div class="a b c"><div class="d e f g"><div class="h i"><a href="/">{site}</a><div class="j"><a href="/write">Write</a><a href="/in">Sign in</a></div></div></div>
<div class="l"><section><div class="fr fs ft"><div class="ab ca"><div class="ch bg"><h1 class="pw-post-title ge gf">{article.title}</h1><div class="gz ab"><a href="/@kai">Kai Wendt</a><span>·</span><button class="hq">Follow</button><div class="hr">6 min read · Apr {chance.randint(10, 28)}, 2025</div></div><div class="ij ik"><button aria-label="claps">{chance.randint(2, 900)}</button><button aria-label="replies">3</button></div>
{article.contents}
</div></div></div></section></div>
<div class="mm"><div class="mn mo"><h2>Written by Kai Wendt</h2><div>{chance.randint(2, 900)} followers</div><p>{prose(chance)}</p></div><div class="mp">Replies ({chance.randint(2, 9)})<div class="mq"><p>{prose(chance, 2)}</p></div><div class="mq"><p>{prose(chance)}</p></div></div></div>
<div class="mr"><div class="ms">More from Kai Wendt</div>{more}</div><div class="mt"><a href="/help">Help</a><a href="/terms">Terms</a></div></div></div></body></html>"""


SITES = {
    "magazine": Site("markdown-it", "highlight", "katex", write_magazine),
    "gazette": Site("markdown-it", "shiki", "mathjax-chtml", write_magazine),
    "weblog": Site("markdown-it", "highlight-plugins", "katex", write_weblog),
    "diary": Site("python-markdown", "table", "scripts", write_weblog),
    "utility": Site("markdown-it", "prism", "mathjax-svg", write_utility),
    "cards": Site("mdx", "pretty", "katex-mathml", write_utility),
    "manual": Site("mdx", "docusaurus", "katex", write_manual),
    "handbook": Site("python-markdown", "script", "katex-html", write_manual),
    "wiki": Site("python-markdown", "plain", "mediawiki", write_wiki),
    "lexicon": Site("markdown-it", "highlight", "mathml", write_wiki),
    "hashed": Site("markdown-it", "prism", "mathjax4-svg", write_hashed),
    "posts": Site("python-markdown", "inline", "brackets", write_hashed),
    "material": Site("mkdocs", "table", "brackets", "material"),
    "docs": Site("mkdocs", "inline", "brackets", "mkdocs"),
    "readthedocs": Site("mkdocs", "plain", "brackets", "readthedocs"),
    "alabaster": Site("sphinx", "table", "brackets", "alabaster"),
    "furo": Site("sphinx", "inline", "brackets", "furo"),
    "rtd": Site("sphinx", "plain", "brackets", "sphinx_rtd_theme"),
}
FORMS = {"markdown-it": "plain", "mdx": "mdx", "sphinx": "myst"}


def make_node_folder():
    """A folder in the cache with the packages for Node.js and a copy of the script that uses them."""
    home = lib.name_cache("renderers-node", NODE_PACKAGES)
    if not (home / "complete").exists():
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)
        (home / "package.json").write_text(json.dumps({"private": True, "type": "module", "dependencies": NODE_PACKAGES}))
        subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=home, check=True, stdout=2)
        (home / "complete").touch()
    shutil.copy(SCRIPT, home)
    return home


def run_node(mode, rows):
    """The rows that renderers.mjs makes of rows."""
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    done = subprocess.run(["node", make_node_folder() / SCRIPT.name, mode], input=lines, stdout=subprocess.PIPE, text=True, encoding="utf-8", check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def write_with_python_markdown(site, sources):
    """Contents by Python-Markdown with the extensions of PyMdown."""
    import markdown

    return [markdown.markdown(source, extensions=EXTENSIONS, extension_configs=configure_extensions(site)) for source in sources]


EXTENSIONS = ["tables", "footnotes", "def_list", "admonition", "toc", "pymdownx.superfences", "pymdownx.highlight", "pymdownx.tasklist",
              "pymdownx.arithmatex", "md_in_html"]


def configure_extensions(site):
    highlight = {"linenums": site.code in ("table", "inline"), "use_pygments": site.code != "script", "stripnl": False}
    if site.code in ("table", "inline"):
        highlight["linenums_style"] = "table" if site.code == "table" else "pymdownx-inline" if site.engine == "mkdocs" else "inline"
    return {"toc": {"permalink": True}, "pymdownx.superfences": {"preserve_tabs": True}, "pymdownx.highlight": highlight,
            "pymdownx.arithmatex": {"generic": site.math != "scripts"}}


def replace_formulas(contents, math):
    """Contents in which the formulas between brackets are rendered."""
    found = re.compile(r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>', flags=re.S)
    formulas = [(html.unescape(match[2]).strip(), match[1] == "div") for text in contents for match in found.finditer(text)]
    rendered = iter(run_node("formulas", [{"math": math, "formulas": formulas}])[0]["rendered"])
    return [found.sub(lambda match: f"<p>{next(rendered)}</p>" if match[1] == "div" else next(rendered), text) for text in contents]


def build_with_mkdocs(site, name, articles, folder):
    """Pages by MkDocs, in one of its themes."""
    import yaml

    (folder / "docs").mkdir(parents=True)
    for number, (title, source) in enumerate(articles):
        (folder / f"docs/page-{number}.md").write_text(f"# {title}\n\n{source}", encoding="utf-8")
    (folder / "docs/index.md").write_text(f"# {name}\n\nWelcome.\n", encoding="utf-8")
    options = {"site_name": name, "site_url": f"https://{name}.example/", "theme": {"name": site.shell}, "plugins": ["search"],
               "markdown_extensions": [{extension: configure_extensions(site).get(extension, {})} for extension in EXTENSIONS]}
    (folder / "mkdocs.yml").write_text(yaml.safe_dump(options), encoding="utf-8")
    subprocess.run([sys.executable, "-m", "mkdocs", "--quiet", "build", "--site-dir", folder / "site"], cwd=folder, check=True, stdout=2,
                   env=os.environ | {"NO_MKDOCS_2_WARNING": "1"})
    return [(folder / f"site/page-{number}/index.html").read_text(encoding="utf-8") for number in range(len(articles))]


def build_with_sphinx(site, name, articles, folder):
    """Pages by Sphinx with MyST, in one of its themes, with the buttons that sphinx-copybutton adds in the browser."""
    (folder / "source").mkdir(parents=True)
    for number, (title, source) in enumerate(articles):
        (folder / f"source/page-{number}.md").write_text(f"# {title}\n\n{source}", encoding="utf-8")
    pages = "\n".join(f"page-{number}" for number in range(len(articles)))
    (folder / "source/index.md").write_text(f"# {name}\n\n```{{toctree}}\n{pages}\n```\n", encoding="utf-8")
    numbered = sorted({language for language, _ in markdown_sources.read_code()}) if site.code != "plain" else []
    (folder / "source/conf.py").write_text(
        f"project = {name!r}\nextensions = ['myst_parser', 'sphinx.ext.mathjax']\nhtml_theme = {site.shell!r}\n"
        "myst_enable_extensions = ['dollarmath', 'deflist', 'tasklist', 'colon_fence']\n"
        f"myst_number_code_blocks = {numbered!r}\nhtml_codeblock_linenos_style = {'table' if site.code == 'table' else 'inline'!r}\n", encoding="utf-8")
    subprocess.run([sys.executable, "-m", "sphinx", "-q", "-b", "html", folder / "source", folder / "site"], check=True, stdout=2, stderr=subprocess.DEVNULL)
    button = '<button class="copybtn o-tooltip--left" data-tooltip="Copy" data-clipboard-target="#codecell"><svg viewBox="0 0 24 24"><title>Copy to clipboard</title></svg></button>'
    found = [(folder / f"site/page-{number}.html").read_text(encoding="utf-8") for number in range(len(articles))]
    return [text.replace("</pre></div>", f"</pre>{button}</div>") for text in found]


def make_site(name, site, articles, folder):
    """Addresses and pages of a site, of pairs of titles and sources."""
    if site.engine in ("mkdocs", "sphinx"):
        build = build_with_mkdocs if site.engine == "mkdocs" else build_with_sphinx
        pages = build(site, name, articles, folder / name)
        return [(f"https://{name}.example/page-{number}/", page) for number, page in enumerate(pages)]
    sources = [source for _, source in articles]
    if site.engine == "python-markdown":
        contents = write_with_python_markdown(site, sources)
        contents = contents if site.math in ("scripts", "brackets") else replace_formulas(contents, site.math)
    else:
        contents = run_node("render", [{"engine": site.engine, "code": site.code, "math": site.math, "articles": sources}])[0]["contents"]
    placed = [Article(html.escape(title), text, f"https://{name}.example/2025/{number + 1:02}/{title.lower().replace(' ', '-')}/")
              for number, ((title, _), text) in enumerate(zip(articles, contents))]
    pages = []
    for number, own in enumerate(placed):
        others = placed[number + 1 :] + placed[:number]
        pages.append((own.address, site.shell(name.title(), own, others, random.Random(f"{name} {number}"))))
    return pages
