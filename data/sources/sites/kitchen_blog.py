"""kitchen.blog.example: a food blog of the usual blog software, on a shared blog host.

`blog.example` stands in for a private suffix: by the public suffix list the site is blog.example, and
only a configured prefix would split it by host.
Hard: share bar and related posts inside the content element, comments longer than the post, unclosed <li>
and <p>, the same post under two addresses, sidebar widgets in prose. Metadata only in <meta>. Chunked.
"""
import feeds as feed
from markup import Feed, Html, Page, digest, esc, gold, links, load, number, others

SITE, HOST = "blog.example", "kitchen.blog.example"
ROOT = f"https://{HOST}"
CODEC, CONTENT_TYPE = "utf-8", "text/html; charset=UTF-8"


class Entry(Html):
    def ul(self, items, tag="ul"):
        return f"<{tag}>\n" + "\n".join(f"<li>{self.inline(i)}" for i in items) + f"\n</{tag}>"

    def strong(self, m):
        return f"<b><i>{m[1]}</b></i>"  # misnested on purpose


def shell(title, head, classes, main, articles):
    return f"""<!DOCTYPE html>
<html lang="en-GB">
<head>
<meta charset="UTF-8" />
<title>{esc(title)}</title>
{head}<link rel="alternate" type="application/rss+xml" href="{ROOT}/feed/" />
<style>.entry-content p {{ margin: 1em 0 }}</style>
</head>
<body class="{classes}">
<div id="page" class="hfeed site">
<header id="masthead"><h2 class="site-title"><a href="/">Warm Plates</a></h2><p class="site-description">Two cooks, one oven, no photographs of hands</p></header>
<nav id="site-navigation"><ul class="menu">{links([('/', 'Home'), ('/category/soups/', 'Soups'), ('/category/preserves/', 'Preserves'), ('/category/bread/', 'Bread'), ('/category/vegetables/', 'Vegetables'), ('/about/', 'About')])}</ul></nav>
<div id="content" class="site-content">
{main}
<div id="secondary" class="widget-area">
<aside id="text-3" class="widget widget_text"><h3>Hello</h3><div class="textwidget"><p>We are Nell and Tomas. We live above a locksmith, cook for whoever comes up the stairs, and write down what worked.</aside>
<aside id="recent-posts-2" class="widget"><h3>Recently</h3><ul>
{links((a.url, a.title) for a in articles[-5:])}
</ul></aside>
<aside id="archives-2" class="widget"><h3>Archives</h3><ul>{links([('/2026/03/', 'March 2026'), ('/2026/02/', 'February 2026'), ('/2026/01/', 'January 2026'), ('/2025/11/', 'November 2025')])}</ul></aside>
</div>
</div>
<footer id="colophon">Cooked in a cold kitchen. <a href="/feed/">Feed</a></footer>
</div></div>
</body>
</html>
"""


def post(a, everyone, address):
    near = others(everyone, a, 3)
    ident = number(100, 4000, a.slug)
    head = f'<meta name="description" content="{esc(a.lead)}" />\n<meta name="author" content="{esc(a.author)}" />\n<meta name="date" content="{a.date}" />\n<meta name="keywords" content="{", ".join(a.tags)}" />\n<link rel="canonical" href="{a.url}" />\n'
    sharing = '<div class="sharedaddy"><h3>Share this:</h3><ul><li><a href="?share=mail" onclick="window.open(this.href);return false">Email</a><li><a href="?share=print">Print</a><li><a href="javascript:pin()">Pin</a></ul></div>'
    related = '<div class="relatedposts"><h3><em>Related</em></h3>' + "".join(f'<div class="relatedposts-post" data-id="{digest(o.slug)[:4]}"><h4><a href="{o.url}">{esc(o.title)}</a></h4><p>{esc(o.lead)}</p><span>In "{o.section}"</span></div>' for o in near) + "</div>"
    talk = ""
    if a.comments:
        talk = f'<div id="comments" class="comments-area"><h2>{len(a.comments)} thoughts on this</h2><ol class="comment-list">' + "".join(
            f'<li id="comment-{number(100, 9999, who)}" class="comment depth-1"><div class="comment-author"><b>{esc(who)}</b> says:</div><div class="comment-meta">{when}</div><div class="comment-content"><p>{esc(" ".join(said))}</div><a class="reply" href="#respond">Reply</a>' for who, when, said in a.comments
        ) + '</ol></div>'
    main = f"""<div id="primary"><div id="main" role="main">
<article id="post-{ident}" class="post-{ident} post type-post category-{a.section} {' '.join('tag-' + t for t in a.tags)}">
<header class="entry-header"><h1 class="entry-title">{esc(a.title)}</h1>
<div class="entry-meta">Posted on <a href="{address}"><span class="entry-date">{a.day}</span></a> by <span class="author vcard"><a href="/author/{a.author.split()[0].lower()}/">{esc(a.author)}</a></span></div></header>
<div class="entry-content">
{Entry().body(a, {len(a.blocks) // 2: ['<div class="wp-ad"><p>This blog carries one advertisement, for the locksmith downstairs, who lets us use his ladder. Keys cut while you wait, wise words free.</div>']})}
{sharing}
{related}
</div>
<footer class="entry-footer">Filed in <a href="/category/{a.section}/" rel="category">{a.section}</a></footer>
</article>
{talk}
<div id="respond"><h3>Leave a reply</h3><form><p>Your address will not be published. Kindness is required, cooking is optional.<p><textarea name="comment"></textarea></form></div>
</div></div>"""
    return shell(f"{a.title} - Warm Plates", head, f"single single-post postid-{ident}", main, everyone)


def listing(title, chosen, everyone):
    posts = "\n".join(f'<article id="post-{number(100, 4000, a.slug)}" class="post type-post"><h2 class="entry-title"><a href="{a.url}">{esc(a.title)}</a></h2><div class="entry-summary"><p>{esc(a.lead)} <a class="more-link" href="{a.url}">Continue reading</a></div></article>' for a in chosen)
    return shell(f"{title} - Warm Plates", "", "archive", f'<div id="primary"><h1 class="page-title">{title}</h1>\n{posts}</div>', everyone)


def pages():
    articles = load("kitchen_blog")
    for a in articles:
        a.url = f"{ROOT}/{a.day[:7].replace('-', '/')}/{a.slug}/"
    out = [Page(a.url, post(a, articles, a.url), "article", "post", f"{a.title} - Warm Plates", a, gold(a)) for a in articles]
    for a in (articles[0], articles[3], articles[6]):
        twin = f"{ROOT}/category/{a.section}/{a.slug}/"
        out.append(Page(twin, post(a, articles, twin), "article", "post", f"{a.title} - Warm Plates", a, gold(a), a.url))
    newest = sorted(articles, key=lambda a: a.date, reverse=True)
    out.append(Page(f"{ROOT}/", listing("Latest", newest, articles), "list", "archive"))
    for section in ("preserves", "vegetables"):
        out.append(Page(f"{ROOT}/category/{section}/", listing(section.title(), [a for a in newest if a.section == section], articles), "list", "archive"))
    out.append(Page(f"{ROOT}/about/", shell("About - Warm Plates", "", "page", '<div id="primary"><h1>About</h1><p>This began as a list on a fridge in 2017 and outgrew the magnets.</div>', articles), "other", "static"))
    return out


def feed_documents(all_pages):
    posts = [p.article for p in all_pages if p.kind == "article" and not p.duplicate_of]
    items = [{"link": a.url.rstrip("/") + "?fbclid=Iw" + digest(a.slug)[:10], "title": a.title, "summary": a.lead, "date": a.date, "author": a.author, "html": Html().body(a), "id": f"{ROOT}/?p={number(100, 4000, a.slug)}"} for a in posts]
    return [Feed("kitchen-full-text.xml", f"{ROOT}/feed/", "application/rss+xml", feed.rss2("Warm Plates", ROOT + "/", items, "en-GB"), [i["link"] for i in items])]
