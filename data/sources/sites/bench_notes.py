"""bench-notes.example: a maker's notebook from a static site generator. Semantic elements, hardly a class.

Hard: code blocks coloured word by word, tables and lists in the body, a table of contents and an author
note inside <article>, reader replies with the same markup as the text. No metadata: a visible byline and <time>.
"""
import html
import re

import feeds as feed
from markup import Feed, Html, Page, esc, gold, links, load, number, others, pick

SITE = HOST = "bench-notes.example"
ROOT = f"https://{HOST}"
CODEC, CONTENT_TYPE = "utf-8", "text/html"
REPLIES = [
    ("Wim", "I had the very same trouble in a greenhouse, of all places, and blamed the tomatoes for a month before I looked at the wiring. Thank you for the nudge to draw it out on paper first."),
    ("Oleander", "Minor point, offered with love: my grandfather's rule was that the third attempt is the one you write about, since the first is luck and the second is stubbornness."),
    ("Beatriz", "Tried it this morning. It works here too, though the dog now leaves the room whenever I pick up a screwdriver, and I cannot say that he is wrong."),
    ("K. Lund", "Could you put the drawings somewhere? I teach an evening class and would love to pass them round, with your name on every sheet, naturally."),
]


class Notes(Html):
    def h2(self, text):
        return f'<h2>{self.inline(text)} <a href="#{text.lower()}" aria-hidden="true">#</a></h2>'

    def code(self, content):
        language, text = content
        text = html.escape(text, quote=False)
        text = re.sub(r"\b(static|return|fn|let|match|if|not|bool)\b", r'<span class="k">\1</span>', text)
        return f'<div class="highlight"><pre tabindex="0"><code class="language-{language}">{text}</code></pre></div>'


def shell(title, main):
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{esc(title)}</title>
<link rel="alternate" type="application/atom+xml" href="/index.xml">
</head>
<body>
<header><a href="/">bench notes</a>
<nav>{links([('/electronics/', 'electronics'), ('/programming/', 'programming'), ('/workshop/', 'workshop'), ('/computing/', 'computing'), ('/about/', 'about')], '<a href="{0}">{1}</a>', ' ')}</nav></header>
<main>
{main}
</main>
<footer><p>Written at a bench in a shared shed by Ivo and Sunniva. No cookies; there are biscuits in the tin.</p></footer>
</body>
</html>
"""


def article_page(a, everyone):
    near = others(everyone, a, 3)
    first, second = pick(REPLIES, a.slug), pick(REPLIES, a.slug, "more")
    replies = "".join(f"<article><p><b>{n}</b> wrote:</p><p>{esc(t)}</p></article>" for n, t in dict.fromkeys([first, second]))
    main = f"""<article>
<header>
<h1>{esc(a.title)}</h1>
<p>by {a.author}, <time datetime="{a.date}">{a.day}</time>, in <a href="/{a.section}/">{a.section}</a></p>
</header>
<nav><details><summary>On this page</summary><ol><li><a href="#top">The trouble</a></li><li><a href="#middle">What I did</a></li><li><a href="#replies">Replies</a></li></ol></details></nav>
{Notes().body(a)}
<footer><p>Found a mistake? There is a biscuit in it for you. Drop a line to {a.author.split()[0].lower()} at {HOST}.</p></footer>
</article>
<section id="replies"><h2>Replies</h2>
{replies}
</section>
<aside><h2>Nearby</h2>
<ul>{"".join(f'<li><a href="{o.url}">{esc(o.title)}</a>: {esc(o.lead)}</li>' for o in near)}</ul></aside>"""
    return shell(a.title, main)


def pages():
    articles = load("bench_notes")
    for a in articles:
        a.url = f"{ROOT}/{a.section}/{a.slug}/"
    out = [Page(a.url, article_page(a, articles), "article", "note", a.title, a, gold(a)) for a in articles]
    listing = lambda title, chosen: shell(title, f"<h1>{title}</h1>\n<ul>" + "\n".join(f'<li><time>{a.day}</time> <a href="{a.url}">{esc(a.title)}</a><p>{esc(a.lead)}</p></li>' for a in chosen) + "</ul>")
    out.append(Page(f"{ROOT}/", listing("bench notes", articles[::-1]), "list", "list"))
    for section in ("electronics", "computing"):
        out.append(Page(f"{ROOT}/{section}/", listing(section, [a for a in articles if a.section == section]), "list", "list"))
    out.append(Page(f"{ROOT}/about/", shell("about", "<h1>about</h1><p>One shed, two padlocks. Ivo solders and Sunniva cuts metal; neither can be trusted with paint.</p>"), "other", "static"))
    return out


def feed_documents(all_pages):
    articles = [p.article for p in all_pages if p.kind == "article"]
    items = [{"link": a.url.rstrip("/"), "title": a.title, "summary": a.lead, "date": a.date, "author": a.author, "id": f"tag:{HOST},2026:{a.slug}"} for a in articles]
    return [Feed("bench-notes.atom.xml", f"{ROOT}/index.xml", "application/atom+xml", feed.atom("bench notes", ROOT + "/", items, "en"), [i["link"] for i in items])]
