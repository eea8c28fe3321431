"""minato-dayori.example: a Japanese harbour paper in Shift_JIS.

Hard: paragraphs are text runs between <br><br> in one element, some pages declare no charset at all,
rankings and columns in prose beside the text, relative image addresses, next/previous links with summaries.
"""
import feeds as feed
from markup import Feed, Html, Page, esc, gold, links, load, number, others, pick

SITE = HOST = "minato-dayori.example"
ROOT = f"https://{HOST}"
CODEC, CONTENT_TYPE = "cp932", "text/html"
ADVERTS = ["【広告】冷えた朝には、まるか食堂のあら汁を。六時から営業、売り切れしだい終了します。", "【広告】網の修理、浮きの塗り替え、承ります。お急ぎの方は浜の青い小屋まで。"]


class Kiji(Html):
    def p(self, text):
        return f"　{self.inline(text)}<br><br>"

    def figure(self, content):
        alt, src, caption = content
        return f'<div class="photo"><img src="{src}" alt="{esc(alt)}"><span class="cap">{caption}</span></div>'


def shell(title, main, declared=True):
    meta = '<meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS">\n' if declared else ""
    return f"""<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">
<html lang="ja"><head>
{meta}<title>{esc(title)}｜みなとだより</title>
</head>
<body>
<div id="header"><a href="/"><img src="/img/logo.gif" alt="みなとだより"></a><ul id="gnavi">{links([('/machi/', 'まち'), ('/shigoto/', 'しごと'), ('/kurashi/', 'くらし'), ('/kagaku/', '科学'), ('/kuyami/', 'おくやみ'), ('/tenki/', '天気と潮'), ('/koukoku/', '広告のご案内')])}</ul></div>
{main}
<div id="footer">みなとだより編集室　郵便受けは赤い戸の横です。ご意見、ご感想、いただきものの魚の自慢などお寄せください。</div>
</body></html>
"""


def article_page(a, everyone, declared):
    near = others(everyone, a, 6)
    i = everyone.index(a)
    before, after = everyone[i - 1], everyone[(i + 1) % len(everyone)]
    main = f"""<div id="container">
<div id="main">
<div class="midashi"><h2>{esc(a.title)}</h2><span class="hiduke">{a.day[:4]}年{int(a.day[5:7])}月{int(a.day[8:])}日</span>　<span class="kisha">記者：{a.author}</span></div>
<div class="kiji n{number(100, 999, a.slug)}">
{Kiji().body(a)}
</div>
<div class="sns"><a href="javascript:send()">この記事を送る</a>　<a href="javascript:print()">印刷する</a></div>
<div class="koukoku">{pick(ADVERTS, a.slug)}</div>
<table class="maeato"><tr><td>前の記事<br><a href="{before.url}">{esc(before.title)}</a><br>{esc(before.lead)}</td><td>次の記事<br><a href="{after.url}">{esc(after.title)}</a><br>{esc(after.lead)}</td></tr></table>
</div>
<div id="sub"><h3>よく読まれています</h3><ol>{links((o.url, o.title) for o in near[:5])}</ol>
<h3>編集室のひとりごと</h3><p>このごろ机の上のサボテンが窓のほうへ傾いてきました。植物でも海が見たいのだろうと、だれも向きを直しません。</p></div>
</div>"""
    return shell(a.title, main, declared)


def pages():
    articles = load("minato")
    for a in articles:
        a.url = f"{ROOT}/kiji/2025/{a.slug}.html"
    out = [Page(a.url, article_page(a, articles, declared=a.slug not in ("0503", "0525")), "article", "kiji", f"{a.title}｜みなとだより", a, gold(a)) for a in articles]
    listing = lambda title, chosen: shell(title, f'<div id="container"><div id="main"><h2>{title}</h2><dl>' + "".join(f'<dt>{a.day} <a href="{a.url}">{esc(a.title)}</a></dt><dd>{esc(a.lead)}</dd>' for a in chosen) + "</dl></div></div>")
    out.append(Page(f"{ROOT}/", listing("新着の記事", articles[::-1]), "list", "list"))
    out.append(Page(f"{ROOT}/machi/", listing("まちの記事", [a for a in articles if a.section == "まち"]), "list", "list"))
    out.append(Page(f"{ROOT}/koukoku/", shell("広告のご案内", '<div id="container"><h2>広告のご案内</h2><p>一枠三千円から。手書きの原稿も歓迎します。</p></div>'), "other", "static"))
    return out


def feed_documents(all_pages):
    articles = [p.article for p in all_pages if p.kind == "article"]
    items = [{"link": a.url.replace("https:", "http:") + "?ref=rdf", "title": a.title, "summary": a.lead, "date": a.date, "author": a.author} for a in articles]
    return [Feed("minato-dayori.rdf.xml", f"{ROOT}/index.rdf", "application/rdf+xml", feed.rss1("みなとだより", ROOT + "/", items), [i["link"] for i in items])]
