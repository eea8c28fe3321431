"""Sites of the synthetic crawl: their software, language, names, menus, and the topics of their pages."""
import json
import random
from html import escape

from archive import Blob
from prose import SHARES, fill

LIST_EVERY = 24  # number of pages per list page
BUILD_EVERY = 40  # pages between two builds of a site whose names change with them


class Facts:
    """Facts about a page that are known before it is written, as needed to link to it."""

    __slots__ = ("address", "author", "date", "number", "path", "section", "teaser", "terms", "title")


class Site:
    """A site, created again for every visit: the same number gives the same site."""

    def __init__(self, rank, pages, world):
        rng = random.Random(f"{world.seed}:site:{rank}")
        self.rank, self.pages, self.world = rank, pages, world
        self.theme = world.themes[world.theme_of(rank)]
        code = rng.choices(list(SHARES), list(SHARES.values()))[0]
        self.language = language = world.languages[code]
        latin = world.languages["en"].terms
        name = f"{rng.choice(latin)}-{rng.choice(latin)}"
        # The number makes hosts unique.
        self.host = f"{'www.' if rng.random() < 0.5 else ''}{name}-{rank}.example"  # reserved (RFC 2606), so no such site exists
        self.root = f"https://{self.host}"
        self.name = " ".join(part.title() for part in name.split("-"))
        self.codec = "windows-1252" if code in ("de", "fr") and rng.random() < 0.08 else "utf-8"
        self.terms = rng.sample(language.terms, 80)
        self.sections = [term.title() for term in rng.sample(self.terms, 6)]
        self.authors = [f"{a.title()}{language.space}{b.title()}" for a, b in zip(rng.sample(language.terms, 9), rng.sample(language.terms, 9))]
        # Never both: FastWARC 2.0.1 stops at such a record, and the crawl is used for comparison with it.
        self.wire = rng.choices(((), ("gzip",), ("chunked",)), (74, 6, 20))[0]
        self.feed = rng.random() < 0.2 and pages > 4
        self.years = rng.randint(1, 12)
        self.form = rng.choice(("/{s}/{y}/{m:02d}/{t}", "/{t}/", "/{s}/{t}.html", "/article/{n}", "/{y}/{m:02d}/{d:02d}/{t}", "/index.php?id={n}"))
        self.changing = self.theme.naming in ("hashed", "module") and rng.random() < 0.2
        self.seed_of_names = rng.random()
        self.other_layout = pages > 30 and rng.random() < 0.4
        self.names, self.known = {}, {}
        self.logo = "".join(f"M{rng.randint(0, 99)} {rng.randint(0, 30)}h{rng.randint(1, 9)}v{rng.randint(1, 9)}z" for _ in range(rng.randint(10, 120)))
        self.menu = [(section, rng.sample(language.phrases, rng.choice((0, 4, 8, 14)))) for section in self.sections]
        self.header = self.footer = None

    def classes(self, number):
        build = number // BUILD_EVERY if self.changing else 0
        if build not in self.names:
            self.names[build] = self.theme.classes(random.Random(self.seed_of_names), build)
        return self.names[build]

    def seed(self, number, purpose=""):
        return random.Random(f"{self.world.seed}:{self.rank}:{number}{purpose}")

    def kind(self, number):
        return "home" if number == 0 else "list" if number % LIST_EVERY == LIST_EVERY - 1 else "other" if number % 60 == 30 else "article"

    def facts(self, number):
        facts = self.known.get(number)
        if facts is None:
            facts = self.known[number] = self.new_facts(number)
            if len(self.known) > 4000:  # a large site is visited for long
                self.known = {number: facts}
        return facts

    def new_facts(self, number):
        rng, language, facts = self.seed(number), self.language, Facts()
        own = rng.sample(language.terms, 10)
        facts.number = number
        facts.terms = [own[0].title(), own[1], rng.choice(self.terms), *own[2:5], rng.choice(self.terms), own[5].title(), *own[6:]]
        phrase, other = rng.choice(language.phrases), rng.choice(language.phrases)
        title = rng.choice((f"{own[0]} {phrase}", f"{phrase} {own[1]}", f"{own[0]}: {phrase} {own[1]} {other}", f"{phrase} {own[0]} {other}"))
        facts.title = title[0].upper() + title[1:]
        facts.teaser = fill(f"{other.capitalize()} {own[1]}{language.comma}{rng.choice(language.seconds)}{language.stop}", facts.terms)
        facts.section, facts.author = rng.choice(self.sections), rng.choice(self.authors)
        year, month, day = 2026 - rng.randrange(self.years), rng.randint(1, 8), rng.randint(1, 28)
        facts.date = f"{year}-{month:02d}-{day:02d}"
        english = self.world.languages["en"].terms
        slug = "-".join([own[0].lower() if own[0].isascii() else rng.choice(english), *rng.choices(english, k=rng.randint(2, 4))])
        facts.path = self.form.format(s=f"s{self.sections.index(facts.section)}", y=year, m=month, d=day, t=f"{slug}-{number}", n=100000 + number)
        if self.kind(number) != "article":
            facts.path = {"home": "/", "list": f"/s{number % 6}/page/{number}", "other": f"/info/{slug}-{number}"}[self.kind(number)]
            facts.title = self.name if number == 0 else f"{facts.section} – {self.name}"
        facts.address = self.root + facts.path
        return facts

    def neighbours(self, number, rng, count):
        """Pages linked from a page: from around the same days, including some that no crawl fetched."""
        low = number - number % 32
        span = range(low, low + 32)
        return [self.facts(n) for n in rng.sample(span, min(count, 32)) if n != number and self.kind(n) == "article"]

    def frame(self, build_names):
        """Header and footer, shared by all pages: created at the first visit."""
        if self.header is None:
            self.header, self.footer = header(self, build_names), footer(self, build_names)
        return self.header, self.footer


def header(site, c):
    theme, l = site.theme, site.language.labels
    top, nav = ("header", "nav") if theme.semantic else ("div", "div")
    entries = []
    for k, (section, below) in enumerate(site.menu):
        inner = "".join(f'<li{c["item"]}><a href="/s{k}/t{j}">{escape(text)}</a></li>{theme.indent}' for j, text in enumerate(below))
        entries.append(f'<li{c["item"]}><a href="/s{k}">{escape(section)}</a>' + (f"<ul>{theme.indent}{inner}</ul>" if inner else "") + "</li>")
    menu = "\n".join(entries)
    return Blob(
        f'<{top}{c["top"]}><a href="/" title="{l["home"]}"><svg viewBox="0 0 120 40" role="img"><path d="{site.logo}"/></svg><b>{escape(site.name)}</b></a>'
        f'<form action="/search" role="search"><input name="q" placeholder="{l["search"]}"><button>{theme.icons[0]}</button></form><a href="/login">{l["login"]}</a> <a href="/plus">{l["subscribe"]}</a></{top}>\n'
        f'<{nav}{c["nav"]}><ul>\n{menu}\n</ul></{nav}>\n',
        site.codec,
    )


def footer(site, c):
    theme, l = site.theme, site.language.labels
    foot = "footer" if theme.semantic else "div"
    columns = "".join(f'<div><h4>{escape(section)}</h4><ul>' + "".join(f'<li><a href="/s{k}/t{j}">{escape(text)}</a></li>' for j, text in enumerate(below[:6])) + "</ul></div>\n" for k, (section, below) in enumerate(site.menu))
    links = " ".join(f'<a href="/{name}">{l[name]}</a>' for name in ("about", "contact", "jobs", "press", "privacy", "terms", "archive"))
    social = "".join(f'<a href="https://social.example/{k}/{site.rank}" rel="nofollow">{mark}</a>' for k, mark in enumerate(theme.icons))
    settings = json.dumps({"site": site.rank, "name": site.name, "sections": site.sections, "consent": True, "endpoints": {str(k): f"{site.root}/api/v{k}/" for k in range(12)}})
    return Blob(
        f'<{foot}{c["foot"]}>{columns}<p>{links}</p><p>{social}</p><p>© {escape(site.name)}. {l["pitch"]}</p></{foot}>\n'
        f'<div{c["cookie"]} role="dialog"><p>{l["cookies"]}</p><button>OK</button> <a href="/privacy">{l["privacy"]}</a></div>\n<script>window.__SETTINGS__={settings};</script>\n',
        site.codec,
    )
