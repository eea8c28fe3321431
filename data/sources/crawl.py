"""From the sites to the files under data/: which page goes into which archive, and what else a crawl meets."""
import base64
import importlib
import json

from archive import Archive
from markup import number

# Site module → the archives it is spread over.
SITES = {
    "harbour_gazette": (1, 2, 3),
    "alpenblick": (1,),
    "kitchen_blog": (1, 2),
    "starfield": (1,),
    "tidewater": (2,),
    "bench_notes": (2, 3),
    "atelier_papier": (2,),
    "al_waha": (3,),
    "zhulin": (3, 1),
    "minato": (3,),
    "lighthouse_almanac": (),  # a folder of pages instead
}

# How each server sends its pages: chunked, compressed, HTTP version.
WIRE = {
    "kitchen_blog": {"chunk": True},
    "tidewater": {"gzip": True},
    "al_waha": {"gzip": True, "chunk": True},
    "starfield": {"version": "HTTP/1.0"},
}

GIF = base64.b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")
PDF = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
NOT_FOUND = "<!DOCTYPE html><html><head><title>Not found | The Harbour Gazette</title></head><body><h1>That page has sailed</h1><p>We have looked under the blotter and behind the press. Perhaps the archive search can help you, or the lady at the front desk.</p></body></html>"


def sites():
    return {name: importlib.import_module(f"sites.{name}") for name in SITES}


def build():
    """Every generated file: path below data/ → bytes; and the pages by site module."""
    files, archives = {}, {n: Archive(f"sample-{n}.warc.gz") for n in (1, 2, 3)}
    gold, kinds, all_pages = [], [], {}
    for name, site in sites().items():
        pages = all_pages[name] = site.pages()
        feeds = site.feed_documents(pages)
        for feed in feeds:
            files[f"feeds/{feed.file}"] = feed.body
        if SITES[name]:
            robots = f"User-agent: *\nDisallow: /search\nSitemap: {site.ROOT}/sitemap.xml\n".encode()
            archives[SITES[name][0]].exchange(f"{site.ROOT}/robots.txt", "200 OK", {"Content-Type": "text/plain"}, robots)
        for page in pages:
            body = page.html.encode(site.CODEC)
            if SITES[name]:
                where = archives[SITES[name][number(0, len(SITES[name]), page.url)]]
                where.exchange(page.url, "200 OK", {"Server": "sample", "Content-Type": site.CONTENT_TYPE}, body, **wire(name, page))
            else:
                files[f"pages/{site.HOST}/{page.url.rsplit('/', 1)[1]}"] = body
            kinds.append(kind_row(site, page))
            if page.kind == "article":
                gold.append(gold_row(site, page, None if SITES[name] else f"pages/{site.HOST}/{page.url.rsplit('/', 1)[1]}"))
        if name in ("harbour_gazette", "bench_notes"):
            archives[SITES[name][0]].exchange(feeds[0].url, "200 OK", {"Content-Type": feeds[0].media}, feeds[0].body)
    odds_and_ends(archives, all_pages)
    for archive in archives.values():
        files[f"crawl/{archive.name}"] = archive.bytes()
    rows = lambda rs: "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in sorted(rs, key=lambda r: r["url"])).encode()
    files["gold.jsonl"], files["kinds.jsonl"] = rows(gold), rows(kinds)
    return files, all_pages


def wire(name, page):
    if name == "harbour_gazette":
        return [{}, {"gzip": True}, {"chunk": True}, {"gzip": True, "chunk": True}][number(0, 4, page.url, "wire")]
    return WIRE.get(name, {})


def odds_and_ends(archives, all_pages):
    """What a crawl brings home besides pages: redirects, an error, an image, a PDF."""
    news = all_pages["harbour_gazette"]
    sea = all_pages["tidewater"][0].url
    moved = [
        (1, "https://go.harbour-gazette.example/n/1911", "301 Moved Permanently", news[2].url),
        (2, "http://harbour-gazette.example/", "301 Moved Permanently", "https://harbour-gazette.example/"),
        (2, sea.replace("https:", "http:"), "301 Moved Permanently", sea),
        (3, "https://bench-notes.example/latest", "302 Found", "/computing/til-usb-cable/"),
    ]
    for n, url, status, location in moved:
        archives[n].exchange(url, status, {"Location": location, "Content-Type": "text/html"}, b"<html><body>Moved.</body></html>")
    archives[1].exchange("https://harbour-gazette.example/2019/05/01/ferry-runs-late", "404 Not Found", {"Content-Type": "text/html; charset=utf-8"}, NOT_FOUND.encode())
    archives[1].exchange("https://harbour-gazette.example/static/dot.gif", "200 OK", {"Content-Type": "image/gif"}, GIF)
    archives[2].exchange("https://tidewater.example/media/tide-tables.pdf", "200 OK", {"Content-Type": "application/pdf"}, PDF)


def gold_row(site, page, file):
    a = page.article
    row = {"url": page.url, "dataset": "sample", "template": f"{site.SITE}#{page.layout}", "site": site.SITE, "year": int(a.date[:4]), "title_in_gold": False, "page_title": page.title}
    row |= {"gold_title": a.title, "gold_author": a.author, "gold_date": a.date, "gold_optional": None, "gold_text": page.gold}
    return row | ({"file": file} if file else {})


def kind_row(site, page):
    row = {"url": page.url, "site": site.SITE, "kind": page.kind, "layout": f"{site.SITE}#{page.layout}"}
    return row | ({"duplicate_of": page.duplicate_of} if page.duplicate_of else {})
