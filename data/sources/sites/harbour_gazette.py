"""harbour-gazette.example: a local paper. Two unlike layouts (news, opinion) under one host, plus print versions.

Hard: mega menu with blurbs, adverts and newsletter boxes mid-body, related teasers inside and after the
body, long comments, share bar with javascript: links, inline script, hashed class names, near-duplicates.
"""
import json

import feeds as feed
from markup import Feed, Html, Page, digest, esc, gold, links, load, number, others, pick

SITE = HOST = "harbour-gazette.example"
ROOT = f"https://{HOST}"
CODEC, CONTENT_TYPE = "utf-8", "text/html; charset=utf-8"

MENU = {
    "Harbour": ["Shipping list", "Tides and moon", "Moorings", "Fish prices", "Pilot notices"],
    "Town": ["Council diary", "Planning notices", "Schools", "Markets", "Lost and found"],
    "Sport": ["Rowing", "Bowls", "Cricket results", "Sea swimming", "Darts league"],
    "Culture": ["What's on", "Choirs", "Cinema times", "Books", "Local names explained"],
    "Services": ["Place a notice", "Deliveries", "Archive search", "Puzzle answers", "Photo sales"],
}
BLURBS = {
    "Harbour": "Every arrival and departure on the estuary, updated at each high water by our quay desk.",
    "Town": "Who decided what on Monday night, in plain words, with the page numbers of the minutes.",
    "Sport": "Send your results by nine on Sunday and read them over breakfast on Monday.",
    "Culture": "Three hundred evenings out within ten miles, sorted by how late the last bus leaves.",
    "Services": "Births, weddings and thanks are free of charge to subscribers of a year's standing.",
}
ADVERTS = [
    "Pilling &amp; Daughter, opticians since 1962. Two pairs for the price of one until the end of the month, and a free chain.",
    "The Lugger Inn: crab night on Wednesdays. Book early, bring a bib, dogs may have the claws if they ask nicely.",
    "Damp walls? Our surveyors come on the same day, measure everything and charge nothing. Call Drywell Limited.",
    "Carpets carpets carpets. Everything on the upper floor must go before the lift is repaired on the thirtieth.",
]


class News(Html):
    def __init__(self, article):
        self.noise = digest(article.slug)[:6]

    def p(self, text):
        return f'<p class="story__par css-{self.noise}">{self.inline(text)}</p>'

    def h2(self, text):
        return f'<h3 class="story__crosshead" id="x{digest(text)[:5]}">{self.inline(text)}</h3>'

    def pull(self, text):
        return f'<aside class="pullquote" aria-hidden="true"><span>&ldquo;{self.inline(text)}&rdquo;</span></aside>'

    def figure(self, content):
        alt, src, caption = content
        return f'<figure class="story__figure"><img src="{src}" alt="{esc(alt)}" onclick="zoom(this)"><figcaption>{self.inline(caption)}</figcaption></figure>'


class Essay(Html):
    first = True

    def p(self, text):
        body = self.inline(text)
        if self.first:
            self.first, body = False, f'<span class="cap">{body[0]}</span>{body[1:]}'
        return f'<div class="ess-p">{body}</div>'


def menu():
    out = ['<nav class="mega" aria-label="Sections">', '<ul class="mega__bar">']
    for name, entries in MENU.items():
        items = links((f"/{name.lower()}/{e.lower().replace(' ', '-')}/", e) for e in entries)
        out.append(f'<li class="mega__item"><a href="/{name.lower()}/">{name}</a>\n<div class="mega__panel"><p class="mega__blurb">{BLURBS[name]}</p><ul>\n{items}\n</ul></div></li>')
    out.append('<li class="mega__item"><a href="/opinion/">Opinion</a></li></ul>\n</nav>')
    return "\n".join(out)


FOOTER = """<footer class="site-foot"><p>The Harbour Gazette is printed on Thursdays at Ropewalk Yard, Wenlow, and owned by its readers.</p>
<ul><li><a href="/about/">About us</a></li><li><a href="/contact/">Contact</a></li><li><a href="/privacy/">Privacy</a></li><li><a href="javascript:consent()">Cookie settings</a></li></ul></footer>"""


def shell(title, body, head="", extra="page"):
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{esc(title)} | The Harbour Gazette</title>
<link rel="alternate" type="application/rss+xml" href="/feeds/all.xml">
{head}<script>window.dataLayer = window.dataLayer || []; dataLayer.push({{"page": "{extra}"}});</script>
</head>
<body class="{extra}">
<header class="masthead"><a class="masthead__logo" href="/"><img src="/static/logo.svg" alt="The Harbour Gazette"></a> <form action="/search"><input name="q" placeholder="Search"></form></header>
{menu()}
{body}
{FOOTER}
</body>
</html>
"""


def teaser(a):
    return f'<article class="teaser"><a href="{a.url}"><h4>{esc(a.title)}</h4></a><p>{esc(a.lead)}</p></article>'


def head(a):
    ld = {
        "@context": "https://schema.org", "@type": "NewsArticle", "headline": a.title, "datePublished": a.date,
        "author": [{"@type": "Person", "name": a.author}], "image": [f"{ROOT}/img/share/{a.slug}.jpg"], "articleSection": a.section,
        "publisher": {"@type": "Organization", "name": "The Harbour Gazette"},
    }  # fmt: skip
    return f"""<meta name="description" content="{esc(a.lead)}">
<link rel="canonical" href="{a.url}">
<meta property="og:type" content="article"><meta property="og:title" content="{esc(a.title)}">
<meta property="og:description" content="{esc(a.lead)}"><meta property="og:url" content="{a.url}">
<meta property="og:image" content="{ROOT}/img/share/{a.slug}.jpg">
<meta property="article:published_time" content="{a.date}">
<script type="application/ld+json">{json.dumps(ld)}</script>
"""


def comments(a):
    if not a.comments:
        return '<section class="comments" id="comments"><h3>Comments</h3><p>Be the first to comment. Please read the house rules, keep to the subject and use the name your mother would recognise.</p></section>'
    out = [f'<section class="comments" id="comments"><h3>{len(a.comments)} comments</h3>']
    for name, date, said in a.comments:
        text = "".join(f"<p>{esc(s)}</p>" for s in said)
        out.append(f'<div class="comment" id="c{number(10000, 99999, name, date)}"><b class="comment__who">{esc(name)}</b> <time>{date}</time><div class="comment__text">{text}</div><a href="javascript:reply()">Reply</a></div>')
    return "\n".join(out + ["</section>"])


def news_page(a, everyone):
    near = others(everyone, a, 5)
    advert = f'<div class="ad-slot ad-{digest(a.slug, "ad")[:6]}" id="ad-{number(100, 999, a.slug)}"><small>Advertisement</small><p>{pick(ADVERTS, a.slug)}</p></div>'
    script = f"<script>document.write('<img src=\"/count?{number(1, 9999, a.slug)}\" width=1 height=1>');</script>"
    also = f'<div class="read-also"><strong>Read also:</strong> <a href="{near[3].url}">{esc(near[3].title)}</a></div>'
    letter = '<div class="newsletter-box"><h4>The tide in your inbox</h4><p>Headlines, high water and the day\'s soup, sent at six every morning. Nineteen hundred neighbours read it already.</p><a href="javascript:void(0)" onclick="subscribe()">Sign me up</a></div>'
    inserts = {1: [advert, script], 2: [also]}
    if len(a.blocks) > 5:
        inserts[4] = [letter]
    share = '<ul class="share"><li><a href="javascript:share(\'mail\')">E-mail</a></li><li><a href="#" onclick="share(\'post\');return false">Post</a></li><li><a href="/print' + a.url.removeprefix(ROOT) + '" rel="nofollow">Print</a></li></ul>'
    body = f"""<div class="crumbs"><a href="/">Home</a> &rsaquo; <a href="/{a.section}/">{a.section.title()}</a></div>
<main class="cols cols-{digest(a.slug, 'cols')[:6]}">
<article class="story story--{a.section} post-{number(1000, 9999, a.slug)}">
<h1 class="story__title">{esc(a.title)}</h1>
<p class="story__meta">By <a rel="author" href="/staff/{a.author.lower().replace(' ', '-')}/">{esc(a.author)}</a>, <time datetime="{a.date}">{a.day}</time></p>
{share}
<div class="story__body">
{News(a).body(a, inserts)}
</div>
{share}
<p class="story__tags">Filed under: {links(((f'/tag/{t}/', t) for t in a.tags), '<a href="{0}">{1}</a>', ', ')}</p>
<div class="bio"><img src="/static/staff.png" alt=""><p>{esc(a.author)} writes for the Gazette from Ropewalk Yard. If you know more about this story, the kettle is usually on.</p></div>
</article>
<section class="related"><h3>More from {a.section.title()}</h3>
{chr(10).join(map(teaser, near[:3]))}
</section>
{comments(a)}
<aside class="rail"><h3>Most read this week</h3><ol>
{links((o.url, o.title) for o in near)}
</ol><div class="rail__ad"><p>{pick(ADVERTS, a.slug, 'rail')}</p></div></aside>
</main>"""
    return shell(a.title, body, head(a), f"t-story s-{a.section}")


def opinion_page(a, everyone):
    near = [o for o in everyone if o.author == a.author and o is not a] + others(everyone, a, 2)
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{esc(a.title)} - Gazette Opinion</title>
{head(a)}</head>
<body id="oped"><div id="top"><a href="/">&larr; The Harbour Gazette</a> <b>Opinion</b> {links([('/opinion/', 'All columns'), ('/opinion/letters/', 'Letters'), ('/opinion/cartoon/', 'Cartoon')], '<a href="{0}">{1}</a>', ' / ')}</div>
<div id="wrap">
<div class="byl"><img data-src="/img/columnists/{a.author.split()[-1].lower()}.png" src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" alt="Portrait of {esc(a.author)}"><h2>{esc(a.author)}</h2><span class="dt">{a.day}</span></div>
<section class="essay"><h1>{esc(a.title)}</h1>
<div class="standfirst">{esc(a.lead)}</div>
{Essay().body(a)}
<div class="sig">Views in this column are the writer's own, and are usually denied by the following week. Answer back: letters@{HOST}</div>
</section>
<div class="morefrom"><h3>Also on this page</h3><dl>
{chr(10).join(f'<dt><a href="{o.url}">{esc(o.title)}</a></dt><dd>{esc(o.author)}: {esc(o.lead)}</dd>' for o in near[:4])}
</dl></div>
</div>
<div id="bottom">Ropewalk Yard, Wenlow. <a href="/about/">About</a> <a href="/contact/">Contact</a></div>
</body></html>
"""


def print_page(a):
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{esc(a.title)} (print)</title><link rel="canonical" href="{a.url}"><meta name="robots" content="noindex"></head>
<body onload="window.print()">
<p><b>The Harbour Gazette</b> &mdash; printed from {a.url}</p>
<h1>{esc(a.title)}</h1>
<p><i>{esc(a.author)}, {a.day}</i></p>
<div class="print-text">
{Html().body(a)}
</div>
<hr><p>Copies for private use. <a href="javascript:history.back()">Back</a></p>
</body></html>
"""


def list_page(title, articles, intro=""):
    return shell(title, f'<main class="listing"><h1>{esc(title)}</h1>{intro}\n' + "\n".join(map(teaser, articles)) + '\n<p class="pager"><a href="?page=2">Older stories</a></p></main>', extra="t-list")


def pages():
    news, columns = load("harbour_gazette"), load("harbour_gazette_opinion")
    for a in news:
        a.url = f"{ROOT}/{a.day.replace('-', '/')}/{a.slug}"
    for a in columns:
        a.url = f"{ROOT}/opinion/{a.slug}"
    out = [Page(a.url, news_page(a, news), "article", "news", f"{a.title} | The Harbour Gazette", a, gold(a)) for a in news]
    out += [Page(a.url, opinion_page(a, columns), "article", "opinion", f"{a.title} - Gazette Opinion", a, gold(a, standfirst=True)) for a in columns]
    for a in news[1:8:2]:
        out.append(Page(a.url.replace(ROOT, ROOT + "/print"), print_page(a), "article", "print", f"{a.title} (print)", a, gold(a), a.url))
    newest = sorted(news, key=lambda a: a.date, reverse=True)
    out.append(Page(f"{ROOT}/", list_page("Wenlow's own paper", newest + columns[:3]), "list", "home"))
    for section in ("harbour", "town"):
        out.append(Page(f"{ROOT}/{section}/", list_page(section.title(), [a for a in newest if a.section == section]), "list", "section"))
    out.append(Page(f"{ROOT}/tag/wildlife/", list_page("Stories tagged wildlife", [a for a in newest if "wildlife" in a.tags]), "list", "section"))
    out.append(Page(f"{ROOT}/opinion/", list_page("Opinion", columns, "<p>Eight people who cannot agree about the bins.</p>"), "list", "section"))
    about = "<main class=\"static\"><h1>About us</h1><p>The Gazette was founded in 1871 by a chandler who wanted to know when his ships were late. It has come out every week since, apart from one in 1953 when the press fell through the floor.</p><p>Since 2014 it has belonged to its readers, each of whom owns one share and attends one meeting.</p></main>"
    contact = "<main class=\"static\"><h1>Contact</h1><ul><li>News desk: 01632 960101</li><li>Notices: 01632 960102</li><li>Ropewalk Yard, Wenlow</li></ul></main>"
    out += [Page(f"{ROOT}/about/", shell("About us", about), "other", "static"), Page(f"{ROOT}/contact/", shell("Contact", contact), "other", "static")]
    return out


def feed_documents(all_pages):
    news = [p.article for p in all_pages if p.layout == "news"]
    columns = [p.article for p in all_pages if p.layout == "opinion"]
    items = [{"link": a.url.replace("https://", "http://www.") + f"/?utm_source=rss&utm_medium=feed&utm_campaign={a.section}", "title": a.title, "summary": a.lead, "date": a.date, "author": a.author, "id": f"hg-{number(1000, 9999, a.slug)}"} for a in news]
    items[2]["link"] = f"https://go.{HOST}/n/1911"  # answered by a redirect in the crawl
    items.append({"link": f"{ROOT}/2026/04/20/not-in-this-crawl", "title": "A story the crawl did not fetch", "summary": "Feeds often run ahead of the crawl.", "date": "2026-04-20T06:00:00+00:00", "author": "Newsroom"})
    opinions = [{"link": a.url + "/", "title": a.title, "summary": a.lead, "date": a.date, "author": a.author} for a in columns]
    return [
        Feed("harbour-gazette.xml", f"{ROOT}/feeds/all.xml", "application/rss+xml", feed.rss2("The Harbour Gazette", ROOT + "/", items, "en-gb"), [i["link"] for i in items]),
        Feed("harbour-gazette-opinion.xml", f"{ROOT}/feeds/opinion.xml", "application/atom+xml", feed.atom("Gazette Opinion", ROOT + "/opinion/", opinions, "en"), [i["link"] for i in opinions]),
    ]
