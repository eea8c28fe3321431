"""Pages of the synthetic crawl: articles in the forms that themes give them, lists, and pages that are neither."""
import json
from base64 import b64encode
from html import escape

import prose

WRAPPERS = ('<div class="row">', '<div class="col-12 col-lg-8">', "<div>", '<div class="inner">', '<section class="block">', '<div data-component="region">', '<div class="clearfix">')  # fmt: skip


def sentence_html(rng, sentence, site):
    """Occasionally a link, or emphasised words."""
    cut = sentence.find(site.language.comma)
    head, tail = sentence[:cut], sentence[cut:]
    mark = rng.random()
    if mark < 0.5:
        return f'<a href="{site.facts(rng.randrange(1, 40)).path}">{head}</a>{tail}'
    return f"<em>{head}</em>{tail}" if mark < 0.75 else f"<strong>{head}</strong>{tail}"


def article_text(site, facts, rng, c, insert):
    """Paragraphs, subheads, lists, quotations, pictures, tables, code; as HTML and as plain text."""
    theme, language, html, texts = site.theme, site.language, [], []
    count = min(max(int(rng.lognormvariate(3.25, 0.65)), 4), 260)
    sentences, at = language.sentences(rng, count), 0
    put, gold, space = html.append, texts.append, language.space
    if theme.kind in ("magazine", "news") and rng.random() < 0.7:
        put(picture(site, facts, rng, c, gold))
    while at < count:
        run = sentences[at : at + rng.choice((1, 2, 2, 3, 3, 4, 5))]
        at += len(run)
        form = rng.random()
        # The text begins with a paragraph, because a short text could otherwise consist of a list or a heading.
        if texts and form < 0.05 and len(run) > 1:
            tag = "ol" if theme.kind == "recipe" else "ul"
            put(f'<{tag}{c["list"]}>' + "".join(f"<li>{s}</li>{theme.indent}" for s in run) + f"</{tag}>")
            gold("\n".join(run))
        elif texts and form < 0.08:
            put(f'<blockquote{c["quote"]}><p>{run[0]}</p></blockquote>')
            gold(run[0])
            at -= len(run) - 1
        elif texts and theme.kind in ("docs", "recipe") and form < 0.16:
            rows = [(s.split(language.comma)[0], str(rng.randint(1, 900))) for s in run]
            put("<table><tbody>" + "".join(f"<tr><td>{a}</td><td>{b}</td></tr>" for a, b in rows) + "</tbody></table>")
            gold("\n".join(f"{a} {b}" for a, b in rows))
        elif texts and theme.kind == "docs" and form < 0.26:
            code = "\n".join(f"set {prose.SLOTS[k]} = {rng.randint(1, 99)};" for k in range(rng.randint(1, 4)))
            put(f"<pre><code>{code}</code></pre>")
            gold(code)
        else:
            plain = space.join(run)
            shown = plain if form < 0.85 else space.join([*run[:-1], sentence_html(rng, run[-1], site)])
            put(paragraph(theme, c, shown))
            gold(plain)
        if len(texts) > 2 and rng.random() < (0.3 if theme.kind == "docs" else 0.1) and at < count:
            heading = rng.choice(language.phrases).capitalize()
            put(f'<h{2 + theme.depth % 2}{c["sub"]}>{heading}</h{2 + theme.depth % 2}>' if theme.kind != "plain" else f"<b>{heading}</b><br>")
            gold(heading)
        if rng.random() < 0.04:
            put(picture(site, facts, rng, c, gold))
        if at < count and rng.random() < theme.inserts:
            put(insert(rng))
    return html, texts


def paragraph(theme, c, text):
    match theme.paragraph:
        case "p":
            return f'<p{c["para"]}>{text}</p>'
        case "div":
            return f'<div{c["para"]}>{text}</div>'
        case "span":
            return f"<p><span{c['para']}>{text}</span></p>"
        case "br":
            return f"{text}<br><br>"
    return f'<div data-block="text"{c["para"]}><p>{text}</p></div>'


def picture(site, facts, rng, c, gold=None):
    """A picture; in articles with a caption, which is part of the text."""
    caption = f"{rng.choice(site.language.phrases).capitalize()} {facts.terms[0]}" if gold else ""
    if gold:
        gold(caption)
        caption = f'<figcaption{c["caption"]}>{caption}</figcaption>' if site.theme.semantic else f'<p{c["caption"]}>{caption}</p>'
    tag = "figure" if site.theme.semantic else "div"
    return f'<{tag}{c["figure"]}>{image(site, rng, facts.title)}{caption}</{tag}>'


def image(site, rng, alt):
    number = rng.randrange(10**8)
    if site.theme.kind == "plain":
        return f'<img src="/img/{number}.jpg" width="400" height="300" border="0" alt="">'
    sources = ", ".join(f"https://img.{site.host}/{number}/{width}x{width * 9 // 16}.webp?q=75&amp;fit=crop {width}w" for width in (320, 640, 960, 1280))
    small = "data:image/webp;base64," + b64encode(rng.randbytes(180)).decode() if site.theme.data_images else f"/img/{number}.jpg"
    return f'<picture><source type="image/webp" sizes="(max-width: 40em) 100vw, 60vw" srcset="{sources}"><img loading="lazy" decoding="async" src="{small}" alt="{escape(alt)}"></picture>'


def inserts(site, facts, c):
    """An element between paragraphs that is not part of the text."""
    l, language = site.language.labels, site.language

    def insert(rng):
        other = site.facts(facts.number - facts.number % 32 + rng.randrange(1, 20))
        match rng.randrange(6):
            case 0:
                number = rng.randint(1000, 99999)
                return f'<div{c["advert"]} id="ad-{number}" data-slot="/22/{site.rank}/{number}"><small>{l["advert"]}</small><script>window.adq=window.adq||[];adq.push({number});</script></div>'
            case 1:
                return f'<div{c["also"]}><b>{l["also"]}:</b> <a href="{other.path}">{escape(other.title)}</a></div>'
            case 2:
                return f'<div{c["letter"]}><h4>{l["letter"]}</h4><p>{l["pitch"]}</p><form action="/letter"><input type="email"><button>{l["subscribe"]}</button></form></div>'
            case 3:  # with the same markup as the text
                return paragraph(site.theme, c, f'<a href="{other.path}">{escape(other.title)}</a> {escape(other.teaser)}')
            case 4:
                return f'<div{c["card"]}>{image(site, rng, "")}<h4>{escape(other.title)}</h4>{paragraph(site.theme, c, escape(other.teaser))}</div>'
        return f'<div{c["advert"]}><small>{l["advert"]}</small><p>{rng.choice(language.phrases).capitalize()} {rng.choice(language.phrases)}{language.stop}</p></div>'

    return insert


def cards(site, facts, rng, c, count, heading):
    """Links to other articles with picture, title and teaser."""
    theme = site.theme
    box, card = ("section", "article") if theme.semantic else ("div", "div")
    made = [f'<{box}{c["related"]}><h3>{heading}</h3>']
    for other in site.neighbours(facts.number, rng, count):
        made.append(f'<{card}{c["card"]} data-id="{other.number}"><a href="{other.path}">{image(site, rng, "")}<h4{c["title"]}>{escape(other.title)}</h4></a><p{c["teaser"]}>{escape(other.teaser)}</p><span{c["date"]}>{other.date}</span>{theme.icons[1]}</{card}>')
    return theme.indent.join(made) + f"</{box}>\n"


def comments(site, facts, rng, c):
    """Readers' comments, in the article's own terms."""
    theme, language, l = site.theme, site.language, site.language.labels
    if not theme.comments or rng.random() < 0.35:
        return ""
    count = min(int(rng.expovariate(1 / (7 * theme.comments))), 80)
    # In forums, answers have the same markup as the first post.
    post, said, line = (c["article"], c["body"], c["para"]) if theme.kind == "forum" else (c["comment"], c["said"], "")
    made = [f'<div{c["comments"]} id="comments"><h3>{count} {l["comments"]}</h3>']
    for k in range(count):
        text = "".join(f"<p{line}>{s}</p>" for s in language.sentences(rng, rng.choice((1, 1, 2, 3))))
        made.append(f'<div{post} id="c{facts.number}-{k}"><b{c["who"]}>{rng.choice(language.terms).title()}</b> <time>{facts.date}</time><div{said}>{text}</div><a href="#reply-{k}" rel="nofollow">{theme.icons[2]} {l["reply"]}</a></div>')
    return "\n".join(made) + "</div>\n"


def head(site, facts, kind):
    """The head up to the theme's styles, and the state of the page for scripts and crawlers."""
    language, title = site.language, escape(facts.title)
    out = [f'<!DOCTYPE html>\n<html lang="{language.code}" dir="{language.direction}">\n<head>\n<meta charset="{site.codec}">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{title}{"" if kind != "article" else " | " + escape(site.name)}</title>']
    if site.theme.kind != "plain":
        out.append(f'<meta name="description" content="{escape(facts.teaser)}">\n<link rel="canonical" href="{facts.address}">\n<meta property="og:title" content="{title}">\n<meta property="og:type" content="{"article" if kind == "article" else "website"}">\n<meta property="og:url" content="{facts.address}">\n<meta property="og:description" content="{escape(facts.teaser)}">')
        out += [f'<link rel="preload" as="script" href="/static/chunks/{(facts.number * 31 + k * 7919) % 99991:x}.js">' for k in range(site.rank % 17)]
    if site.feed:
        out.append(f'<link rel="alternate" type="application/rss+xml" href="{site.root}/feed.xml">')
    if kind == "article" and site.theme.linked_data:
        data = {"@context": "https://schema.org", "@type": "NewsArticle", "headline": facts.title, "datePublished": facts.date, "description": facts.teaser, "mainEntityOfPage": facts.address, "author": [{"@type": "Person", "name": facts.author}], "articleSection": facts.section, "publisher": {"@type": "Organization", "name": site.name}}  # fmt: skip
        out.append(f'<script type="application/ld+json">{json.dumps(data, ensure_ascii=False)}</script>')
    return "\n".join(out) + "\n"


def state(site, facts, text):
    """The article again, for scripts."""
    if not site.theme.state:
        return ""
    blocks = [{"type": "text", "key": f"{k:x}{facts.number:x}", "value": block, "marks": [], "style": {"dropCap": not k}} for k, block in enumerate(text)]
    data = {"props": {"page": {"id": facts.number, "path": facts.path, "title": facts.title, "blocks": blocks, "terms": facts.terms}}, "build": site.rank, "locale": site.language.code}
    shown = json.dumps(data, ensure_ascii=False).replace("</", "<\\/")
    return f'<script id="state" type="application/json">{shown}</script>\n'


def article_page(site, number):
    """Parts of the page, strings and blobs."""
    facts, rng, theme, c = site.facts(number), site.seed(number, "page"), site.theme, site.classes(number)
    l, other = site.language.labels, site.other_layout and number % 5 == 2
    html, texts = article_text(site, facts, rng, c, inserts(site, facts, c))
    article, main, side = ("article", "main", "aside") if theme.semantic and not other else ("div", "div", "div")
    icons = theme.icons
    title = f'<h1{c["title"]}>{escape(facts.title)}</h1>\n' if theme.kind != "plain" else f'<font size="5"><b>{escape(facts.title)}</b></font><br>\n'
    meta = f'<div{c["meta"]}><span{c["author"]}>{l["by"]} <a href="/authors/{site.authors.index(facts.author)}">{escape(facts.author)}</a></span> <time{c["date"]} datetime="{facts.date}">{l["published"]} {facts.date}</time></div>\n'
    share = f'<ul{c["share"]}>' + "".join(f'<li><a href="https://social.example/{k}?u={facts.address}" rel="nofollow">{icon}<span>{l["share"]}</span></a></li>' for k, icon in enumerate(icons[:3])) + "</ul>\n" if theme.kind not in ("plain", "docs") else ""
    lead = f'<p{c["lead"]}>{escape(facts.teaser)}</p>\n' if theme.kind in ("news", "magazine") and not theme.title_inside else ""
    body = theme.indent.join(html)
    if theme.table:
        body = f'<table width="100%" border="0"><tr><td valign="top">{body}</td></tr></table>'
    tags = f'<p{c["tags"]}>{l["topics"]}: ' + " ".join(f'<a href="/tag/{k}">{term}</a>' for k, term in enumerate(facts.terms[:5])) + "</p>\n"
    bio = f'<div{c["bio"]}>{image(site, rng, "")}<p><b>{escape(facts.author)}</b> {rng.choice(site.language.phrases)} {rng.choice(site.language.phrases)}{site.language.stop}</p></div>\n' if rng.random() < 0.6 and not other else ""
    related = cards(site, facts, rng, c, theme.cards, l["related"])
    said = comments(site, facts, rng, c)
    popular = f'<{side}{c["side"]}>' + "".join(f'<div{c["widget"]}><h3>{heading}</h3><ol>' + "".join(f'<li{c["popular"]}><a href="{o.path}">{escape(o.title)}</a></li>' for o in site.neighbours(number, rng, 9)) + "</ol></div>" for heading in (l["popular"], l["archive"])) + f"</{side}>\n"
    inner = (title + meta if theme.title_inside else "") + share + f'<div{c["body"]}>{body}{related if theme.related_inside and not other else ""}</div>\n'
    story = (title + lead + meta if not theme.title_inside else "") + f'<{article}{c["article"]} data-id="{number}">{inner}{tags}{bio}</{article}>\n'
    depth = 1 if other else theme.depth
    for wrapper in WRAPPERS[:depth]:
        story = f"{wrapper}{story}</{'section' if wrapper[1:4] == 'sec' else 'div'}>\n"
    crumbs = f'<div{c["crumbs"]}><a href="/">{l["home"]}</a> › <a href="/s0">{escape(facts.section)}</a></div>\n'
    below = ("" if theme.related_inside and not other else related) + said
    content = popular + story + below if theme.side_first else story + below + popular
    if theme.table:
        content = f'<table width="760" align="center" cellpadding="4"><tr><td width="160" valign="top">{popular}</td><td valign="top">{story}{below}</td></tr></table>\n'
    shown = prose.fill(f'<{main}{c["main"]}>{crumbs}{content}</{main}>\n', facts.terms)
    gold = [prose.fill(part, facts.terms) for part in texts]
    return frame(site, number, head(site, facts, "article"), shown, state(site, facts, gold))


def frame(site, number, above, shown, below):
    top, bottom = site.frame(site.classes(0))
    theme = site.theme
    kind = f'</head>\n<body{site.classes(number)["page"]}>\n'
    return [above, theme.head, kind, theme.sprite, top, shown, bottom, below, theme.tail]


def list_page(site, number):
    """Home or section: cards of articles."""
    facts, rng, c = site.facts(number), site.seed(number, "page"), site.classes(number)
    blocks = "".join(cards(site, facts, rng, c, 14, escape(section)) for section in site.sections[: 4 if number == 0 else 2])
    shown = f'<div{c["main"]}><h1>{escape(facts.title)}</h1>{blocks}<div{c["pager"]}><a href="?page=2">{site.language.labels["next"]}</a></div></div>\n'
    return frame(site, number, head(site, facts, "list"), shown, "")


def other_page(site, number):
    """Neither article nor list: an order form."""
    facts, c, l = site.facts(number), site.classes(number), site.language.labels
    fields = "".join(f'<label>{term}<input name="f{k}"></label>\n' for k, term in enumerate(facts.terms))
    shown = f'<div{c["main"]}><h1>{l["contact"]}</h1><form action="/send" method="post">{fields}<button>OK</button></form><p>{l["cookies"]}</p></div>\n'
    return frame(site, number, head(site, facts, "other"), shown, "")


def feed(site):
    """RSS of the first pages."""
    items = "".join(f"<item><title>{escape(f.title)}</title><link>{escape(f.address)}</link><description>{escape(f.teaser)}</description><pubDate>{f.date}</pubDate></item>\n" for f in (site.facts(n) for n in range(1, min(site.pages, 20))) if site.kind(f.number) == "article")
    return f'<?xml version="1.0" encoding="utf-8"?>\n<rss version="2.0"><channel><title>{escape(site.name)}</title><link>{site.root}/</link><description>{escape(site.name)}</description>\n{items}</channel></rss>\n'
