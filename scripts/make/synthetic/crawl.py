"""The schedule of the crawl: sites and their sizes, visits spread over the files, and the records of each file."""
import random
from collections import OrderedDict
from typing import NamedTuple

import pages
from archive import Blob, Writer, raw_size
from prose import SHARES, Language
from sites import LIST_EVERY, Site
from themes import THEMES, Theme

FEWEST = 2  # pages of a site
MEASURED = 60  # largest sites whose page sizes are measured before pages are counted
REPEATED = 0.012  # share of pages that also occur at a second address
KEPT = 300  # sites kept between visits


class World:
    """State shared by all sites. The same seed gives the same state."""

    def __init__(self, seed):
        self.seed = seed
        self.themes = [Theme(number, seed) for number in range(THEMES)]
        self.languages = {code: Language(code, seed) for code in SHARES}

    def theme_of(self, rank):
        return random.Random(f"{self.seed}:{rank}:theme").randrange(THEMES)


class Visit(NamedTuple):
    """A visit of the crawler to a site: some consecutive pages."""

    rank: int
    first: int
    last: int


def page_parts(site, number):
    """Parts of a page."""
    parts = {"article": pages.article_page, "other": pages.other_page}.get(site.kind(number), pages.list_page)(site, number)
    return [part if isinstance(part, Blob) else part.encode(site.codec, "xmlcharrefreplace") for part in parts if isinstance(part, Blob) or part]


def page_sizes(world, rank, count):
    """Bytes of a site's home page, and of its other pages on average."""
    site = Site(rank, 100, world)

    def size(number):
        return raw_size(page_parts(site, number))

    others = sum(size(number) for number in range(1, count + 1)) / count
    return size(0), (others * (LIST_EVERY - 1) + size(LIST_EVERY - 1)) / LIST_EVERY


def page_counts(world, html, sites, exponent, largest):
    """Pages of each site, such that its bytes follow Zipf's law and the total is the requested size."""
    html /= 1 + REPEATED
    of_theme, sizes = {}, []
    for rank in range(sites):
        known = of_theme.setdefault(world.theme_of(rank), [])
        # Means of a theme are sufficient for small sites; a large one's own language and build affect its size.
        if rank < MEASURED or len(known) < 2:
            known.append(page_sizes(world, rank, 12 if rank == 0 else 5))
            sizes.append(known[-1])
        else:
            sizes.append(tuple(sum(each) / len(known) for each in zip(*known)))
    weights = [1 / (rank + 1) ** exponent for rank in range(sites)]
    # The largest site's pages are counted first if its share is given.
    counts = [max(round((html * largest - sizes[0][0]) / sizes[0][1]) + 1, FEWEST)] if largest else []
    rest = range(len(counts), sites)
    if largest:
        html *= 1 - largest

    def count(scale, rank):
        home, other = sizes[rank]
        return max(FEWEST, round((scale * weights[rank] - home) / other) + 1)

    def total(scale):
        return sum(sizes[rank][0] + sizes[rank][1] * (count(scale, rank) - 1) for rank in rest)

    if html < total(0):
        raise ValueError(f"{sites} sites with {FEWEST} pages each are {total(0) / 1e6:.0f} MB of html and more: take fewer --sites")
    low, high = 0.0, html * 2
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if total(middle) < html else (low, middle)
    return counts + [count(high, rank) for rank in rest]


def visits(seed, counts, files):
    """The visits of each file, in order. A crawler returns, so the pages of a site are in many places."""
    plan = [[] for _ in range(files)]
    for rank, count in enumerate(counts):
        rng = random.Random(f"{seed}:{rank}:visits")
        file, first = rng.randrange(files), 0
        while first < count:
            last = min(first + rng.randint(2, 8), count)
            plan[file].append((rng.random(), Visit(rank, first, last)))
            file, first = (file + 1) % files, last
    return [[visit for _, visit in sorted(of_file)] for of_file in plan]


class Crawler:
    """Writes one file."""

    def __init__(self, world, counts, folder, number):
        self.world, self.counts, self.sites = world, counts, OrderedDict()
        self.name, self.folder = f"crawl-{number:05}.warc.gz", folder
        self.rng = random.Random(f"{world.seed}:{number}:file")
        self.asks = number % 2 == 0  # crawlers differ: half of the files also hold the requests
        self.made = {"bytes": 0, "html_bytes": 0, "pages": 0, "articles": 0}

    def crawl(self, visits):
        path = self.folder / self.name
        part = path.with_suffix(".part")
        with open(part, "wb") as file:
            self.writer = Writer(file, self.name, self.world.seed)
            for visit in visits:
                self.visit(self.site(visit.rank), visit)
            self.made["bytes"] = file.tell()
        part.rename(path)
        return self.made

    def site(self, rank):
        site = self.sites.pop(rank, None) or Site(rank, self.counts[rank], self.world)
        self.sites[rank] = site
        if len(self.sites) > KEPT:
            self.sites.popitem(last=False)
        return site

    def visit(self, site, visit):
        if visit.first == 0:
            self.respond(f"{site.root}/robots.txt", "200 OK", "text/plain", [b"User-agent: *\nDisallow: /search\n"])
            if site.feed:
                self.respond(f"{site.root}/feed.xml", "200 OK", "application/rss+xml; charset=utf-8", [pages.feed(site).encode()])
        for number in range(visit.first, visit.last):
            self.page(site, number)
            self.odds_and_ends(site, number)

    def page(self, site, number):
        parts, facts = page_parts(site, number), site.facts(number)
        # Latin sites in windows-1252 declare it in the header, as those of the sample do.
        media = f"text/html; charset={site.codec}"
        self.page_response(site, facts.address, media, parts)
        self.made["articles"] += site.kind(number) == "article"
        if self.rng.random() < REPEATED:
            self.page_response(site, f"{facts.address}{'&' if '?' in facts.path else '?'}utm_source=letter&utm_medium=mail", media, parts)

    def page_response(self, site, url, media, parts):
        self.respond(url, "200 OK", media, parts, site.wire)
        self.made["html_bytes"] += raw_size(parts)
        self.made["pages"] += 1

    def odds_and_ends(self, site, number):
        """Redirects, errors, and files that are not pages."""
        chance, rng = self.rng.random(), self.rng
        if chance < 0.03:
            target = site.facts(number).address
            self.respond(target.replace("https:", "http:"), "301 Moved Permanently", "text/html", [b"<html><body>Moved.</body></html>"], more={"Location": target})
        elif chance < 0.045:
            body = f"<!DOCTYPE html><html><head><title>404</title></head><body><h1>404</h1><p>{site.language.labels['search']}</p></body></html>"
            self.respond(f"{site.root}/gone/{number}", "404 Not Found", "text/html; charset=utf-8", [body.encode()])
        elif chance < 0.075:
            self.respond(f"{site.root}/img/{number}.jpg", "200 OK", "image/jpeg", [b"\xff\xd8\xff\xe0" + rng.randbytes(rng.randint(800, 6000))])
        elif chance < 0.085:
            self.respond(f"{site.root}/static/{number}.js", "200 OK", "application/javascript", [site.theme.tail])
        elif chance < 0.09:
            self.respond(f"{site.root}/files/{number}.pdf", "200 OK", "application/pdf", [b"%PDF-1.4\n" + rng.randbytes(3000) + b"\n%%EOF\n"])

    def respond(self, url, status, media, parts, wire=(), more=None):
        headers = {"Server": "synthetic", "Content-Type": media} | (more or {})
        self.writer.response(url, status, headers, parts, wire, note=self.rng.random() < 0.25, request=self.asks)
