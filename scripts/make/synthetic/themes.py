"""Themes: the common parts of sites built with the same software, and the names of their elements.

A theme determines how a page is built (see pages.py) and has its own style sheets, scripts and icons. Each site has a
theme, as real sites have a content management system, and adds colours, menus and names.
"""
import random

from archive import Blob

THEMES = 48
KINDS = "news news news magazine magazine blog blog blog docs recipe forum plain".split()
NAMING = "bem bem kebab kebab kebab camel hashed module utility none foreign".split()
PARAGRAPHS = "p p p p p div span br block".split()

# Roles of elements → names that authors give them.
ROLES = {
    "page": "page site wrapper app layout root", "top": "header masthead topbar site-header branding", "nav": "nav menu main-menu navigation mega",
    "item": "item menu-item entry link nav-item", "main": "main content columns primary container", "article": "article story post entry single document",
    "crumbs": "breadcrumb path trail crumbs", "title": "title headline entry-title heading", "meta": "meta byline info details", "author": "author writer by staff",
    "date": "date time published posted", "share": "share social sharing tools", "lead": "lead standfirst intro summary dek", "body": "body content text entry-content copy richtext",
    "para": "paragraph text p block", "sub": "subhead crosshead section-title h", "figure": "figure image media picture", "caption": "caption credit legend", "quote": "quote citation blockquote",
    "list": "list items bullets", "advert": "ad advert banner slot promo", "also": "read-also inline-link more see", "letter": "newsletter signup subscribe box", "tags": "tags topics keywords",
    "bio": "bio author-box about-author profile", "related": "related more-stories recommended also-like", "card": "card teaser tile preview", "thumb": "thumb preview-image media", "teaser": "excerpt teaser-text abstract blurb",
    "comments": "comments discussion responses thread", "comment": "comment reply message response", "who": "name user nick commenter", "said": "comment-text message-body said text", "side": "sidebar aside rail secondary",
    "widget": "widget module panel box", "popular": "popular most-read trending top", "foot": "footer site-footer bottom colophon", "cookie": "cookie consent gdpr notice", "pager": "pager pagination next-prev",
}  # fmt: skip
FOREIGN = "artikel inhalt kopf fuss seite leiste bild absatz titel datum contenu entete pied barre texte image chapo auteur noticia cuerpo columna nota pagina".split()
UTILITIES = "mt-4 mb-2 px-6 py-3 flex grid text-lg text-sm leading-7 font-serif font-bold w-full max-w-3xl mx-auto gap-4 rounded border text-gray-700 bg-white md:w-2/3 lg:px-0 items-center justify-between relative block hidden".split()
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


def letters(rng, length):
    return "".join(rng.choices(LETTERS, k=length))


class Theme:
    """A way to build pages: fixed choices, and parts common to all its pages."""

    def __init__(self, number, seed):
        rng = random.Random(f"{seed}:theme:{number}")
        self.kind = KINDS[number % len(KINDS)]
        self.naming = rng.choice(NAMING)
        self.paragraph = "p" if self.kind == "docs" else rng.choice(PARAGRAPHS)
        self.semantic = rng.random() < 0.55 and self.kind != "plain"
        self.table = self.kind == "plain" and rng.random() < 0.5
        self.depth = rng.randint(0, 6)
        self.inserts = rng.choice((0, 0.05, 0.12, 0.2))  # chance of an insert behind a paragraph
        self.side_first = rng.random() < 0.3
        self.related_inside = rng.random() < 0.25
        self.title_inside = rng.random() < 0.6
        self.state = self.kind != "plain" and rng.random() < 0.45  # the article again, as JSON for scripts
        self.data_images = rng.random() < 0.2
        self.cards = rng.choice((4, 6, 8, 12, 20))
        self.comments = rng.choice((0, 0.5, 1, 2)) if self.kind != "forum" else 2
        self.indent = rng.choice(("", "", "\n", "\n    ", "\n\t\t"))
        self.quote = rng.choice("\"\"\"'")
        self.linked_data = rng.random() < 0.7
        self.icons = [icon(rng) for _ in range(5)]
        old = self.kind == "plain"
        weight = 0.12 if old else rng.lognormvariate(0, 0.5)
        self.head = Blob(f"<style>{styles(rng, int(16000 * weight))}</style>\n<script>{scripts(rng, int(9000 * weight))}</script>\n", level=6)
        self.sprite = Blob("" if old else sprite(rng, int(5000 * weight)), level=6)
        self.tail = Blob(f"<script>{scripts(rng, int(26000 * weight))}</script>\n</body>\n</html>\n", level=6)

    def classes(self, rng, build=0):
        """A site's names: role → attribute, with a leading space. `build` changes the generated names."""
        made = {}
        prefix = rng.choice(("", "c-", "td-", "l-", "site-"))
        for number, (role, names) in enumerate(ROLES.items()):
            name = rng.choice(names.split())
            value = {
                "bem": lambda: f"{prefix}{name}" if number % 3 else f"{prefix}{name} {prefix}{name}--{rng.choice(('main', 'wide', 'dark', 'a'))}",
                "kebab": lambda: f"{prefix}{name}",
                "camel": lambda: "".join(part.title() if k else part for k, part in enumerate(name.split("-"))) + rng.choice(("", "Wrap", "Inner", "Box")),
                "hashed": lambda: f"css-{letters(random.Random(f'{role}{build}{prefix}'), 6)}" + (f" e{letters(random.Random(f'{build}{role}'), 7)}0" if number % 2 else ""),
                "module": lambda: f"{name.title().replace('-', '')}_{name.split('-')[0]}__{letters(random.Random(f'{role}{build}'), 5)}",
                "utility": lambda: " ".join(rng.sample(UTILITIES, rng.randint(2, 7))),
                "none": lambda: "",
                "foreign": lambda: rng.choice(FOREIGN) + rng.choice(("", "-1", "_box", "-text")),
            }[self.naming]()
            key = "id" if number % 11 == 4 and self.naming in ("kebab", "foreign") else "class"
            made[role] = f" {key}={self.quote}{value}{self.quote}" if value else ""
        # Frequent elements have no ids.
        for role in ("item", "para", "sub", "figure", "caption", "card", "thumb", "teaser", "comment", "who", "said", "widget", "advert", "also", "quote", "list"):
            made[role] = made[role].replace(" id=", " class=")
        return made


def icon(rng):
    path = "".join(f"{rng.choice('LCQ')}{rng.randint(0, 24)} {rng.randint(0, 24)}" for _ in range(rng.randint(6, 40)))
    return f'<svg width="24" height="24" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path fill="currentColor" d="M12 2{path}z"/></svg>'


def sprite(rng, size):
    made = ['<svg xmlns="http://www.w3.org/2000/svg" style="display:none">']
    while size > 0:
        made.append(f'<symbol id="i-{letters(rng, 5)}" viewBox="0 0 24 24">{icon(rng)}</symbol>')
        size -= len(made[-1])
    return "".join(made) + "</svg>\n"


PROPERTIES = "margin:0 auto|padding:.5rem 1rem|display:flex|display:none|color:#{}|background:#{}|font:400 1rem/1.6 Georgia,serif|border-bottom:1px solid #{}|max-width:{}px|width:{}%|position:relative|z-index:{}|transition:opacity .2s ease-in-out|grid-template-columns:repeat({},minmax(0,1fr))|content:\"\\20{}\"|background:url(data:image/svg+xml;charset=utf8,%3Csvg viewBox='0 0 {} 8'%3E%3C/svg%3E)".split("|")  # fmt: skip


def styles(rng, size):
    words = rng.sample(sorted({name for names in ROLES.values() for name in names.split()}), 50)
    # Style sheets repeat the same measures and colours.
    rules_of = [rng.choice(PROPERTIES).replace("{}", str(rng.randint(10, 980))) for _ in range(90)]
    made = [f":root{{--brand:#{letters(rng, 3)};--ink:#111}}"]
    while size > 0:
        rules = ";".join(rng.sample(rules_of, rng.randint(1, 5)))
        selector = ",".join(f".{rng.choice(words)}{rng.choice(('', '__', '--', ' > .', ':hover', '::before'))}{rng.choice(words)}".replace("__,", ",") for _ in range(rng.choice((1, 1, 2))))
        rule = f"{selector}{{{rules}}}"
        made.append(f"@media (min-width:{rng.randint(40, 90)}em){{{rule}}}" if rng.random() < 0.15 else rule)
        size -= len(made[-1])
    return "\n".join(made) if rng.random() < 0.5 else "".join(made)


STATEMENTS = [
    "function {a}({b},{c}){{if(!{b}||{b}.length<{n})return {c};for(var i=0;i<{b}.length;i++){{{c}+={b}[i].{d}&&{n}}}return {c}}}",
    "var {a}=document.querySelectorAll('.{b} > .{c}');{a}.forEach(function(e){{e.addEventListener('click',{d},{{passive:!0}})}});",
    "!function(e,t){{\"object\"==typeof exports?module.exports=t():e.{a}=t()}}(this,function(){{\"use strict\";return {{{b}:{n},{c}:\"{d}\"}}}});",
    "window.{a}=window.{a}||[];{a}.push(['{b}','{c}',{n}]);",
    "{a}.innerHTML='<div class=\"{b}\"><span>'+{c}+'<\\/span><\\/div>';",
    "const {a}=async({b})=>{{const r=await fetch(`/api/{c}/${{{b}}}?v={n}`);return r.ok?r.json():{{{d}:null}}}};",
    "if(/{b}|{c}/i.test(navigator.userAgent)&&{n}>0){{setTimeout({a},{n})}}else{{{d}=void 0}}",
    "/* {a}: {b} & {c} < {n} */",
]


def scripts(rng, size):
    made = []
    names = [rng.choice(("t", "e", "n", "_", "get", "on")) + letters(rng, rng.choice((0, 0, 1, 1, 4, 6))) for _ in range(160)]
    while size > 0:
        a, b, c, d = rng.choices(names, k=4)
        made.append(rng.choice(STATEMENTS).format(a=a, b=b, c=c, d=d, n=rng.choice((0, 1, 2, 10, 100, rng.randint(1, 9999)))))
        size -= len(made[-1])
    return "".join(made) if rng.random() < 0.6 else "\n".join(made)
