"""al-waha.example: an Arabic daily, right to left, on a grid framework.

Hard: news ticker, read-also boxes and adverts mid-body, stock comments, a tag cloud, Open Graph only,
guillemets and Arabic punctuation, numerals in tables.
"""
import feeds as feed
from markup import Feed, Html, Page, digest, esc, gold, links, load, number, others, pick

SITE = HOST = "al-waha.example"
ROOT = f"https://{HOST}"
CODEC, CONTENT_TYPE = "utf-8", "text/html; charset=UTF-8"
TALK = [
    ("قارئة من الساحل", "قرأت الخبر على والدي وهو في التسعين فظل يحكي لنا ساعة كاملة عن أيام شبابه، وقال إن الصحف في زمنه كانت تصل مع بائع الخضار مبللة الأطراف."),
    ("أبو جمال", "شكرًا على هذا الموضوع. أرجو أن تنشروا رقم هاتف للتواصل، فعندي صور قديمة بالأبيض والأسود قد تهمكم، وأخشى أن تأكلها الرطوبة."),
    ("متابع", "أتفق مع معظم ما جاء هنا، لكن أين البلدية من كل ذلك؟ ننتظر منذ سنتين إنارة الشارع ولم نر سوى الوعود."),
]
ADVERTS = ["إعلان: مفروشات الياسمين، تخفيضات كبيرة حتى نهاية الأسبوع والتوصيل إلى باب البيت.", "إعلان: عيادة النور للأسنان تستقبلكم يوميًا ما عدا الجمعة، والكشف الأول بلا مقابل."]


class Khabar(Html):
    def p(self, text):
        return f'<p dir="rtl">{self.inline(text)}</p>'

    def table(self, rows):
        return super().table(rows).replace("<table>", '<table class="table table-striped">')


def shell(title, head, main, articles):
    nav = links([("/siyasa", "محليات"), ("/iqtisad", "اقتصاد"), ("/ziraa", "زراعة"), ("/thaqafa", "ثقافة"), ("/ulum", "علوم"), ("/riyada", "رياضة"), ("/matbakh", "مطبخ"), ("/kuttab", "كتّاب")], '<li class="nav-item"><a class="nav-link" href="{0}">{1}</a></li>')
    return f"""<!DOCTYPE html>
<html lang="ar" dir="rtl">
<head><meta charset="UTF-8"><title>{esc(title)} | الواحة</title>
{head}</head>
<body class="rtl">
<nav class="navbar"><a class="navbar-brand" href="/">الواحة</a><ul class="navbar-nav">{nav}</ul></nav>
<div class="ticker"><span>عاجل</span> <marquee>{links(((a.url, a.title) for a in articles[:4]), '<a href="{0}">{1}</a>', ' • ')}</marquee></div>
<div class="container"><div class="row">
{main}
<div class="col-md-4 sidebar"><div class="widget"><h4>الأكثر قراءة</h4><ol>{links((a.url, a.title) for a in articles)}</ol></div>
<div class="widget"><h4>الطقس</h4><p>صحو مع رياح شمالية خفيفة، وتنبيه للصيادين من ارتفاع الموج مساءً.</p></div></div>
</div></div>
<footer class="footer"><p>صحيفة الواحة، تصدر كل صباح منذ عام 1964. جميع الحقوق محفوظة.</p></footer>
</body></html>
"""


def card(a):
    return f'<div class="card"><a href="{a.url}"><h5 class="card-title">{esc(a.title)}</h5></a><p class="card-text">{esc(a.lead)}</p></div>'


def article_page(a, everyone):
    near = others(everyone, a, 6)
    head = f'<meta property="og:title" content="{esc(a.title)}">\n<meta property="og:description" content="{esc(a.lead)}">\n<meta property="og:locale" content="ar_AR">\n<meta property="og:image" content="/media/og/{digest(a.slug)[:8]}.jpg">\n<meta property="article:published_time" content="{a.date}">\n<meta property="article:author" content="{esc(a.author)}">\n'
    also = f'<div class="read-also-box"><span>اقرأ أيضًا:</span> <a href="{near[0].url}">{esc(near[0].title)}</a></div>'
    advert = f'<div class="banner b{number(100, 999, a.slug)}"><p>{pick(ADVERTS, a.slug)}</p></div>'
    said = "".join(f'<div class="media comment-{number(1, 99999, n, a.slug)}"><h5>{n}</h5><p>{t}</p></div>' for n, t in dict.fromkeys([pick(TALK, a.slug), pick(TALK, a.slug, 2)]))
    main = f"""<div class="col-md-8">
<div class="post-header"><h1>{esc(a.title)}</h1><div class="meta"><span class="author">{esc(a.author)}</span> <span class="date">{a.day}</span> <span class="views">{number(200, 9000, a.slug)} مشاهدة</span></div>
<div class="social"><a href="javascript:;" onclick="tweet()">شارك</a><a href="javascript:;">انسخ الرابط</a><a href="javascript:;" onclick="A(+1)">تكبير الخط</a></div></div>
<div class="post-content" id="content-{number(1000, 9999, a.slug)}">
{Khabar().body(a, {0: [advert], 1: [also]})}
</div>
<div class="tags">{links(((f'/tag/{t}', t) for t in a.tags), '<a href="{0}">{1}</a>', ' ')}</div>
<div class="related row"><h3>مواضيع ذات صلة</h3>{"".join(map(card, near[1:4]))}</div>
<div class="comments"><h3>التعليقات</h3>{said}</div>
</div>"""
    return shell(a.title, head, main, near)


def pages():
    articles = load("al_waha")
    for a in articles:
        a.url = f"{ROOT}/article/{number(20000, 60000, a.slug)}/{a.slug}"
    out = [Page(a.url, article_page(a, articles), "article", "post", f"{a.title} | الواحة", a, gold(a)) for a in articles]
    listing = lambda title, chosen: shell(title, "", f'<div class="col-md-8"><h1>{title}</h1>{"".join(map(card, chosen))}</div>', articles[:5])
    out.append(Page(f"{ROOT}/", listing("الواحة", articles[::-1]), "list", "list"))
    out.append(Page(f"{ROOT}/thaqafa", listing("ثقافة", [a for a in articles if a.section == "ثقافة"]), "list", "list"))
    out.append(Page(f"{ROOT}/about", shell("من نحن", "", '<div class="col-md-8"><h1>من نحن</h1><p>بدأت الصحيفة ورقة واحدة تُعلّق على باب المدرسة، وما زال مقرّها في الشارع نفسه.</p></div>', articles[:5]), "other", "static"))
    return out


def feed_documents(all_pages):
    articles = [p.article for p in all_pages if p.kind == "article"]
    items = [{"link": a.url.replace("https://", "http://www."), "title": a.title, "summary": a.lead, "date": a.date, "author": a.author} for a in articles]
    return [Feed("al-waha.xml", f"{ROOT}/rss", "application/rss+xml", feed.rss2("الواحة", ROOT + "/", items, "ar"), [i["link"] for i in items])]
