"""tidewater.example: a sailing magazine styled with utility classes only.

Hard: class names say how a thing looks and never what it is, cards and newsletter prompts share the
paragraphs' classes, images load lazily with placeholder sources, frames, inline script and javascript:
links in the body. JSON-LD and Open Graph. Sent with content-encoding gzip.
"""
import json

import feeds as feed
from markup import Feed, Html, Page, esc, gold, links, load, number, others

SITE = HOST = "tidewater.example"
ROOT = f"https://{HOST}"
CODEC, CONTENT_TYPE = "utf-8", "text/html;charset=utf-8"
PAR = "mt-6 text-lg leading-8 text-slate-700"


class Utility(Html):
    def p(self, text):
        return f'<p class="{PAR}">{self.inline(text)}</p>'

    def ul(self, items, tag="ul"):
        return '<ul class="mt-6 list-disc pl-6">' + "".join(f'<li class="mt-2 text-slate-700">{self.inline(i)}</li>' for i in items) + "</ul>"

    def table(self, rows):
        head, *rest = rows
        cell = lambda tag, c: f'<{tag} class="border px-3 py-1">{self.inline(c)}</{tag}>'
        return '<div class="mt-6 overflow-x-auto"><table class="w-full text-sm"><tr>' + "".join(cell("th", c) for c in head) + "</tr>" + "".join("<tr>" + "".join(cell("td", c) for c in row) + "</tr>" for row in rest) + "</table></div>"

    def figure(self, content):
        alt, src, caption = content
        small = src.replace(".jpg", "-800.jpg")
        return f'<figure class="mt-10"><img class="rounded-xl" src="data:image/svg+xml,%3Csvg/%3E" data-src="{src}" data-srcset="{small} 800w, {src} 1600w" loading="lazy" alt="{esc(alt)}"><noscript><img src="{src}" alt="{esc(alt)}"></noscript><figcaption class="mt-3 text-sm text-slate-500">{self.inline(caption)}</figcaption></figure>'


def card(a):
    return f'<div class="rounded-xl border p-4"><a class="text-lg font-semibold" href="{a.url}">{esc(a.title)}</a><p class="{PAR}">{esc(a.lead)}</p></div>'


def shell(title, head, main):
    nav = links([("/seamanship", "Seamanship"), ("/cruising", "Cruising"), ("/maintenance", "Maintenance"), ("/weather", "Weather"), ("/boats-for-sale", "Boats for sale"), ("/subscribe", "Subscribe")], '<a class="px-3 py-2 text-sm hover:underline" href="{0}">{1}</a>')
    return f"""<!DOCTYPE html>
<html lang="en" class="scroll-smooth antialiased">
<head><meta charset="utf-8"><title>{esc(title)} · Tidewater</title>
{head}</head>
<body class="bg-white text-slate-900">
<div class="sticky top-0 flex items-center justify-between border-b px-4"><a class="font-bold" href="/">Tidewater</a><div class="hidden md:flex">{nav}</div></div>
{main}
<div class="mt-20 bg-slate-100 px-4 py-10 text-sm"><p class="text-slate-500">Tidewater comes out when the tide allows, about ten times a year, and has never missed a spring.</p><div class="mt-4 flex gap-4">{links([('/about', 'About'), ('/contribute', 'Write for us'), ('/terms', 'Terms')], '<a class="underline" href="{0}">{1}</a>')}</div></div>
</body></html>
"""


def article_page(a, everyone):
    near = others(everyone, a, 5)
    ld = {"@context": "https://schema.org", "@type": "Article", "headline": a.title, "author": a.author, "datePublished": a.date, "keywords": a.tags, "image": f"{ROOT}/media/cover-{a.slug}.jpg"}
    head = f'<meta name="description" content="{esc(a.lead)}">\n<link rel="canonical" href="{a.url}">\n<meta property="og:title" content="{esc(a.title)}">\n<meta property="og:image" content="/media/cover-{a.slug}.jpg">\n<meta property="article:author" content="{esc(a.author)}">\n<script type="application/ld+json">{json.dumps(ld)}</script>\n'
    prompt = f'<div class="my-10 rounded-xl bg-sky-50 p-6"><p class="{PAR}">Get the next issue before the gulls do. We write to four thousand sailors once a month and never when it is blowing.</p><a class="mt-4 inline-block rounded bg-sky-600 px-4 py-2" href="javascript:signup()">Join the crew list</a></div>'
    film = f'<div class="mt-10 aspect-video"><iframe class="h-full w-full" src="https://film.example/{number(100, 999, a.slug)}"></iframe></div>'
    chandler = f'<div class="mt-6 flex gap-4 border-y py-4"><img class="h-20 w-20" src="/ads/rope.png" alt=""><p class="text-lg leading-8 text-slate-700">Odd lengths of rope at half price from Marlow Street Chandlery: no refunds, no questions, and tea.</p></div>'
    script = "<script>addEventListener('scroll', function () { /* progress bar */ });</script>"
    inserts = {1: [prompt], 2: [script], 3: [chandler]} if number(0, 2, a.slug) else {0: [film], 2: [prompt, script]}
    main = f"""<div class="mx-auto max-w-2xl px-4">
<div class="mt-12 text-sm uppercase tracking-wide text-sky-700"><a href="/{a.section}">{a.section}</a></div>
<h1 class="mt-2 text-4xl font-bold tracking-tight">{esc(a.title)}</h1>
<div class="mt-4 flex gap-2 text-sm text-slate-500"><span>{esc(a.author)}</span><span>·</span><time datetime="{a.date}">{a.day}</time><span>·</span><span>{number(2, 6, a.slug)} min read</span></div>
<div class="mt-6 flex gap-2"><button class="rounded border px-3 py-1 text-sm" onclick="share()">Share</button><button class="rounded border px-3 py-1 text-sm" onclick="save()">Save</button></div>
<div class="mt-10">
{Utility().body(a, inserts)}
</div>
<div class="mt-16"><p class="text-sm font-semibold uppercase">Sail on</p><div class="mt-4 grid gap-4">
{chr(10).join(card(o) for o in near[:3])}
</div></div>
</div>"""
    return shell(a.title, head, main)


def pages():
    articles = load("tidewater")
    for a in articles:
        a.url = f"{ROOT}/{a.section}/{a.slug}"
    out = [Page(a.url, article_page(a, articles), "article", "essay", f"{a.title} · Tidewater", a, gold(a)) for a in articles]
    grid = lambda title, chosen: shell(title, "", f'<div class="mx-auto max-w-6xl px-4"><h1 class="mt-12 text-4xl font-bold">{title}</h1><div class="mt-10 grid grid-cols-3 gap-4">{"".join(map(card, chosen))}</div></div>')
    out.append(Page(f"{ROOT}/", grid("Small boats, plain words", articles[::-1]), "list", "grid"))
    for section in ("seamanship", "cruising"):
        out.append(Page(f"{ROOT}/{section}", grid(section.title(), [a for a in articles if a.section == section]), "list", "grid"))
    out.append(Page(f"{ROOT}/about", shell("About", "", f'<div class="mx-auto max-w-2xl px-4"><h1 class="mt-12 text-4xl font-bold">About</h1><p class="{PAR}">Three friends, two boats and a photocopier, since 1996.</p></div>'), "other", "static"))
    return out


def feed_documents(all_pages):
    articles = [p.article for p in all_pages if p.kind == "article"]
    items = [{"link": a.url.replace("https://", "https://www.") + "/?mc_cid=" + str(number(1000, 9999, a.slug)), "title": a.title, "summary": a.lead, "date": a.date, "author": a.author, "id": a.slug} for a in articles]
    return [Feed("tidewater.json", f"{ROOT}/feed.json", "application/feed+json", feed.json_feed("Tidewater", ROOT + "/", items, "en"), [i["link"] for i in items])]
