"""What must hold of the generated files; a failure names the page or record."""
import html.parser
import json
import re
import xml.dom.minidom
from collections import Counter

import archive
import crawl

SKIP = {"head", "script", "style", "noscript", "template", "iframe"}
INLINE = {"a", "b", "i", "em", "strong", "span", "code", "font", "small", "i", "time"}
WORD = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]|[^\\W_\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]+")


class Visible(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.out, self.skip = [], []

    def handle_starttag(self, tag, attrs):
        if tag in SKIP:
            self.skip.append(tag)
        elif tag not in INLINE:
            self.out.append(" ")

    def handle_endtag(self, tag):
        if self.skip and self.skip[-1] == tag:
            self.skip.pop()
        elif tag not in INLINE:
            self.out.append(" ")

    def handle_data(self, data):
        if not self.skip:
            self.out.append(data)


def words(text):
    return WORD.findall(text.lower())


def visible(markup):
    parser = Visible()
    parser.feed(markup)
    parser.close()
    assert not parser.skip, f"unclosed {parser.skip}"
    return words("".join(parser.out))


def in_order(gold, page):
    it = iter(page)
    return all(word in it for word in gold)


def check(files, all_pages):
    """Raises AssertionError with the first fault; returns lines that describe the sample."""
    sites = crawl.sites()
    fetched, records, ids = {}, Counter(), set()
    for path, data in files.items():
        if path.endswith(".warc.gz"):
            for fields, block in archive.read(data):
                records[fields["WARC-Type"]] += 1
                assert fields["WARC-Record-ID"] not in ids, f"record id twice: {fields}"
                ids.add(fields["WARC-Record-ID"])
                if fields["WARC-Type"] == "response":
                    fetched[fields["WARC-Target-URI"]] = archive.http(block)
        elif path.startswith("feeds/"):
            if path.endswith(".json"):
                json.loads(data)
            else:  # expat knows few encodings: decode first
                name = re.match(rb'<\?xml version="1.0" encoding="(.*?)"', data)[1].decode()
                text = re.sub(r'encoding=".*?"', 'encoding="utf-8"', data.decode(name), count=1)
                xml.dom.minidom.parseString(text.encode())
    report = []
    for name, pages in all_pages.items():
        site, seen = sites[name], set()
        for page in pages:
            if crawl.SITES[name]:
                status, headers, body = fetched[page.url]
                assert status.endswith("200 OK") and headers["content-type"] == site.CONTENT_TYPE, page.url
            else:
                body = files[f"pages/{site.HOST}/{page.url.rsplit('/', 1)[1]}"]
            text = body.decode(site.CODEC)
            assert text == page.html, f"{page.url}: does not survive {site.CODEC}"
            shown = visible(text)
            if page.kind == "article":
                gold = words(page.gold)
                assert in_order(gold, shown), f"{page.url}: gold is not in the page, in order"
                assert page.duplicate_of or page.gold not in seen, f"{page.url}: gold twice"
                seen.add(page.gold)
                for kind, content in page.article.blocks:  # a pull quote repeats the body
                    assert kind != "pull" or content in page.gold, content
        layouts = Counter(p.layout for p in pages if p.kind == "article")
        long = [len(words(p.gold)) for p in pages if p.kind == "article"]
        others = Counter(p.kind for p in pages if p.kind != "article")
        report.append(f"{site.HOST:28} {sum(layouts.values()):3} articles ({', '.join(f'{v} {k}' for k, v in layouts.items())}; {min(long)}-{max(long)} words), {others['list']} lists, {others['other']} other")
    report.append("records: " + ", ".join(f"{v} {k}" for k, v in sorted(records.items())))
    return report
