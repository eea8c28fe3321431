"""news.alpenblick.example: a German regional paper whose class names are generated anew for every page.

Hard: no class recurs, teaser lists and a video frame mid-body, a subscription prompt in prose,
windows-1252 bytes declared as ISO-8859-1 in the HTTP header only.
"""
import json

import feeds as feed
from markup import Feed, Html, Page, digest, esc, gold, links, load, number, others

SITE, HOST = "alpenblick.example", "news.alpenblick.example"
ROOT = f"https://{HOST}"
CODEC, CONTENT_TYPE = "cp1252", "text/html; charset=ISO-8859-1"
SECTIONS = {"region": "Region", "menschen": "Menschen", "verkehr": "Verkehr", "natur": "Natur"}


class Names:
    """sc-8f3a1c hKzPqR: the same part has another name on every page."""

    def __init__(self, key):
        self.key = key

    def __call__(self, part):
        d = digest(self.key, part)
        return f'class="sc-{d[:6]}-{int(d[6], 16) % 4} {"".join(chr(97 + int(c, 16)) for c in d[7:10])}{d[10:12].upper()}"'


class Text(Html):
    def __init__(self, names):
        self.n = names

    def p(self, text):
        return f'<p {self.n("par")}>{self.inline(text)}</p>'

    def ul(self, items, tag="ul"):
        return f'<ul {self.n("list")}>' + "".join(f'<li {self.n("item")}><span>{self.inline(i)}</span></li>' for i in items) + "</ul>"

    def quote(self, text):
        return f'<blockquote {self.n("quote")}>{self.inline(text)}</blockquote>'

    def figure(self, content):
        alt, src, caption = content
        return f'<figure {self.n("fig")}><picture><source data-srcset="{src}?w=1200 2x"><img data-src="{src}" src="/leer.gif" alt="{esc(alt)}"></picture><figcaption {self.n("cap")}>{self.inline(caption)}</figcaption></figure>'


def shell(n, title, head, main):
    nav = links([(f"/{k}/", v) for k, v in SECTIONS.items()] + [("/wetter/", "Wetter"), ("/lawinenlage/", "Lawinenlage"), ("/epaper/", "E-Paper"), ("/trauer/", "Traueranzeigen"), ("/jobs/", "Stellenmarkt")])
    return f"""<!doctype html>
<html lang="de"><head><title>{esc(title)} – Alpenblick</title>
{head}</head>
<body {n('body')}><div id="root-{digest(n.key)[:4]}" {n('root')}>
<header {n('header')}><a href="/" {n('logo')}>Alpenblick</a><nav {n('nav')}><ul>
{nav}
</ul></nav></header>
{main}
<footer {n('footer')}><div {n('imprint')}>Alpenblick Verlagsgesellschaft, Am Anger 4, Steinbruck. Für unverlangt eingesandte Gipfelfotos übernehmen wir keine Haftung.</div><ul>{links([('/impressum.html', 'Impressum'), ('/datenschutz.html', 'Datenschutz'), ('/agb.html', 'AGB')])}</ul></footer>
</div><script>!function(){{window.__STATE__={{"build":"{digest(n.key, 'build')[:12]}"}}}}();</script></body></html>
"""


def card(n, a):
    return f'<li {n("card")}><a href="{a.url}"><div {n("cardtitle")}>{esc(a.title)}</div></a><div {n("cardtext")}>{esc(a.lead)}</div></li>'


def article_page(a, everyone):
    n = Names(a.slug)
    near = others(everyone, a, 6)
    ld = {"@context": "https://schema.org", "@graph": [{"@type": "NewsArticle", "headline": a.title, "datePublished": a.date, "description": a.lead, "author": {"@type": "Person", "name": a.author}, "inLanguage": "de"}]}
    head = f'<meta name="description" content="{esc(a.lead)}">\n<meta property="og:title" content="{esc(a.title)}">\n<meta name="author" content="{esc(a.author)}">\n<script type="application/ld+json">{json.dumps(ld)}</script>\n'
    more = f'<section {n("more")}><h4>Mehr zum Thema</h4><ul>' + "".join(card(n, o) for o in near[:2]) + "</ul></section>"
    video = f'<div {n("video")}><iframe src="https://video.example/embed/{number(1000, 9999, a.slug)}" title="Video"></iframe><noscript>Bitte aktivieren Sie JavaScript, um das Video zu sehen.</noscript></div>'
    plus = f'<div {n("plus")}><p>Sie lesen gern, was hinter dem nächsten Berg passiert? Mit dem Alpenblick-Abo erhalten Sie alle Beiträge, das Kreuzworträtsel und am Samstag die Schneekarte.</p><button onclick="abo()">Vier Wochen testen</button></div>'
    main = f"""<main {n('main')}>
<div {n('kicker')}>{SECTIONS[a.section]}</div><h1 {n('title')}>{esc(a.title)}</h1>
<div {n('byline')}>Von <span>{esc(a.author)}</span> · <time datetime="{a.date}">{a.day[8:]}.{a.day[5:7]}.{a.day[:4]}, {a.date[11:16]} Uhr</time></div>
<div {n('tools')}><button onclick="teilen('mail')">E-Mail</button><button onclick="teilen('link')">Link kopieren</button><button>Vorlesen</button></div>
<div {n('text')}>
{Text(n).body(a, {0: [video] if number(0, 2, a.slug) else [], 1: [more], 2: [plus]})}
</div>
<div {n('tags')}>{links(((f'/thema/{t.lower()}/', t) for t in a.tags), '<a href="{0}">#{1}</a>', ' ')}</div>
<section {n('again')}><h3>Lesen Sie auch</h3><ul>{"".join(card(n, o) for o in near[2:5])}</ul></section>
</main>
<aside {n('aside')}><h3>Meistgelesen</h3><ol>{links((o.url, o.title) for o in near)}</ol><div {n('ad')}>Anzeige. Fellmützen direkt vom Kürschner: warm, ehrlich, lebenslang nachgenäht.</div></aside>"""
    return shell(n, a.title, head, main)


def pages():
    articles = load("alpenblick")
    for a in articles:
        a.url = f"{ROOT}/{a.section}/{a.slug}-a{number(10000, 99999, a.slug)}.html"
    out = [Page(a.url, article_page(a, articles), "article", "story", f"{a.title} – Alpenblick", a, gold(a)) for a in articles]
    for path, title, chosen in [("", "Nachrichten aus den Bergen", articles), ("region/", "Region", [a for a in articles if a.section == "region"]), ("natur/", "Natur", [a for a in articles if a.section == "natur"])]:
        n = Names("list" + path)
        out.append(Page(f"{ROOT}/{path}", shell(n, title, "", f'<main {n("main")}><h1>{title}</h1><ul>{"".join(card(n, a) for a in chosen)}</ul></main>'), "list", "list"))
    n = Names("impressum")
    out.append(Page(f"{ROOT}/impressum.html", shell(n, "Impressum", "", f"<main {n('main')}><h1>Impressum</h1><p>Herausgeberin und verantwortlich für den Inhalt: Alpenblick Verlagsgesellschaft, Steinbruck. Druck: Lettner, Unterlauten.</p></main>"), "other", "static"))
    return out


def feed_documents(all_pages):
    articles = [p.article for p in all_pages if p.kind == "article"]
    items = [{"link": a.url.replace("https:", "http:") + "#ref=rss", "title": a.title, "summary": a.lead, "date": a.date, "author": a.author} for a in articles]
    return [Feed("alpenblick.xml", f"{ROOT}/rss.xml", "application/rss+xml", feed.rss2("Alpenblick", ROOT + "/", items, "de", "windows-1252"), [i["link"] for i in items])]
