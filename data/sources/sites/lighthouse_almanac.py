"""lighthouse-almanac.example: eight plain pages kept as a folder of .html files, not in the archives.

Small and friendly on purpose: for `sitegrove extract` and for reading a folder. Still, a menu, a related
box and a visitor's note stand around each text. No feed.
"""
from markup import Html, Page, esc, gold, links, load, others

SITE = HOST = "lighthouse-almanac.example"
ROOT = f"https://{HOST}"
CODEC, CONTENT_TYPE = "utf-8", "text/html; charset=utf-8"


def shell(title, head, main):
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{esc(title)} - The Lighthouse Almanac</title>
{head}</head>
<body>
<div class="top"><a href="index.html">The Lighthouse Almanac</a>
<ul class="nav">{links([('people.html', 'People'), ('engineering.html', 'Engineering'), ('optics.html', 'Optics'), ('visit.html', 'Visit')])}</ul></div>
{main}
<div class="bottom">Kept by volunteers in the old oil store. Ring twice.</div>
</body>
</html>
"""


def article_page(a, everyone):
    head = f'<meta name="description" content="{esc(a.lead)}">\n<meta name="author" content="{esc(a.author)}">\n<meta property="article:published_time" content="{a.day}">\n<link rel="canonical" href="{a.url}">\n'
    main = f"""<div class="page">
<h1>{esc(a.title)}</h1>
<p class="byline">{esc(a.author)}, <time datetime="{a.day}">{a.day}</time></p>
<div class="prose">
{Html().body(a)}
</div>
<div class="more"><h3>Further up the stairs</h3>
{"".join(f'<p><a href="{o.url.rsplit("/", 1)[1]}">{esc(o.title)}</a>. {esc(o.lead)}</p>' for o in others(everyone, a, 3))}
</div>
<div class="support"><p>The Almanac costs us nineteen pounds a month and a quantity of putty. If a page has kept you company, the tin is by the door.</p></div>
</div>"""
    return shell(a.title, head, main)


def pages():
    articles = load("lighthouse_almanac")
    for a in articles:
        a.url = f"{ROOT}/{a.slug}.html"
    out = [Page(a.url, article_page(a, articles), "article", "page", f"{a.title} - The Lighthouse Almanac", a, gold(a)) for a in articles]
    index = '<div class="page"><h1>All pages</h1><ul>' + "".join(f'<li><a href="{a.slug}.html">{esc(a.title)}</a> {esc(a.lead)}</li>' for a in articles) + "</ul></div>"
    out.append(Page(f"{ROOT}/index.html", shell("All pages", "", index), "list", "index"))
    return out


def feed_documents(all_pages):
    return []
