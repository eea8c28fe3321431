"""Feed documents: RSS 2.0, RSS 1.0, Atom 1.0 and JSON Feed 1.1, written as text on purpose.

An item is a dict: link, title, date (ISO), summary, and perhaps html (full text), author, id.
"""
import json
from datetime import datetime
from email.utils import format_datetime
from xml.sax.saxutils import escape


def _rfc822(date):
    when = datetime.fromisoformat(date)
    return format_datetime(when) if when.tzinfo else when.strftime("%a, %d %b %Y 06:00:00 GMT")


def _iso(date):
    return date if "T" in date else date + "T06:00:00Z"


def rss2(title, link, items, language, encoding="utf-8"):
    out = [
        f'<?xml version="1.0" encoding="{encoding}"?>',
        '<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/">',
        f"<channel>\n<title>{escape(title)}</title>\n<link>{escape(link)}</link>\n<description>{escape(title)}</description>\n<language>{language}</language>",
    ]
    for i in items:
        out.append(f"<item>\n<title>{escape(i['title'])}</title>\n<link>{escape(i['link'])}</link>")
        out.append(f'<guid isPermaLink="false">{escape(i.get("id", i["link"]))}</guid>\n<pubDate>{_rfc822(i["date"])}</pubDate>')
        if i.get("author"):
            out.append(f"<dc:creator>{escape(i['author'])}</dc:creator>")
        out.append(f"<description>{escape(i['summary'])}</description>")
        if i.get("html"):
            out.append(f"<content:encoded><![CDATA[{i['html']}]]></content:encoded>")
        out.append("</item>")
    return "\n".join(out + ["</channel>\n</rss>\n"]).encode(encoding)


def rss1(title, link, items, encoding="utf-8"):
    out = [
        f'<?xml version="1.0" encoding="{encoding}"?>',
        '<rdf:RDF xmlns="http://purl.org/rss/1.0/" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dc="http://purl.org/dc/elements/1.1/">',
        f'<channel rdf:about="{escape(link)}index.rdf">\n<title>{escape(title)}</title>\n<link>{escape(link)}</link>\n<description>{escape(title)}</description>\n<items><rdf:Seq>',
    ]
    out += [f'<rdf:li rdf:resource="{escape(i["link"])}"/>' for i in items]
    out.append("</rdf:Seq></items>\n</channel>")
    for i in items:
        out.append(f'<item rdf:about="{escape(i["link"])}">\n<title>{escape(i["title"])}</title>\n<link>{escape(i["link"])}</link>')
        out.append(f"<description>{escape(i['summary'])}</description>\n<dc:date>{_iso(i['date'])}</dc:date>\n</item>")
    return "\n".join(out + ["</rdf:RDF>\n"]).encode(encoding)


def atom(title, link, items, language):
    newest = max(_iso(i["date"]) for i in items)
    out = [
        '<?xml version="1.0" encoding="utf-8"?>',
        f'<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="{language}">\n<title>{escape(title)}</title>\n<id>{escape(link)}</id>',
        f'<link href="{escape(link)}"/>\n<updated>{newest}</updated>',
    ]
    for i in items:
        out.append(f'<entry>\n<title>{escape(i["title"])}</title>\n<id>{escape(i.get("id", i["link"]))}</id>\n<link rel="alternate" type="text/html" href="{escape(i["link"])}"/>')
        out.append(f"<updated>{_iso(i['date'])}</updated>\n<author><name>{escape(i['author'])}</name></author>\n<summary>{escape(i['summary'])}</summary>\n</entry>")
    return "\n".join(out + ["</feed>\n"]).encode()


def json_feed(title, link, items, language):
    feed = {"version": "https://jsonfeed.org/version/1.1", "title": title, "home_page_url": link, "language": language, "items": []}
    for i in items:
        feed["items"].append(
            {"id": i.get("id", i["link"]), "url": i["link"], "title": i["title"], "summary": i["summary"], "date_published": _iso(i["date"]), "authors": [{"name": i["author"]}]}
        )
    return (json.dumps(feed, ensure_ascii=False, indent=1) + "\n").encode()
