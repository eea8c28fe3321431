"""Sites that serve something else instead of articles: the archive data/walls/walls.warc.gz, and what must come of each page.

Each site has a wall of its own kind and language; `market-square.example` has articles, and walls in place of some of them.
"""
import json

from archive import Archive, record_id

PAGES = 8

# Name in the address, headline, and the first sentence of an article that is never shown.
STORIES = [
    ("ferry-keeps-its-winter-timetable", "Ferry keeps its winter timetable", "The harbour board voted on Monday to leave the winter sailings as they are."),
    ("bakers-open-at-four-again", "Bakers open at four again", "Three bakers of the old town have gone back to lighting their ovens at four."),
    ("school-roof-is-dry-at-last", "School roof is dry at last", "After two years of buckets the roof of the lower school no longer leaks."),
    ("museum-finds-a-lost-map", "Museum finds a lost map", "A map of the eastern marshes turned up behind a cupboard in the museum."),
    ("choir-looks-for-tenors", "Choir looks for tenors", "The harbour choir has forty voices and not one tenor among them."),
    ("frost-saves-the-apple-harvest", "Frost saves the apple harvest", "A late frost did the orchards more good than harm, the growers say."),
    ("bridge-toll-ends-in-spring", "Bridge toll ends in spring", "Nobody will have to pay to cross the upper bridge from April on."),
    ("clock-strikes-thirteen-no-more", "Clock strikes thirteen no more", "The town clock has been mended and strikes twelve at noon."),
]

PARAGRAPHS = [
    "The decision had been put off four times since the summer, first for want of figures, then for want of members, and at "
    "last because the only table in the hall was lent to a wedding. This time there were enough of all three.",
    "Those who spoke against it said that nobody had asked the people who get up earliest. Those who spoke for it said that "
    "they had, in a letter, and that eleven of twelve had not answered, which they took for a yes.",
    "What it costs is less clear. The treasurer named a sum, corrected it while she spoke, and promised to write it on "
    "the board outside the post office, where it can be read until the end of the month.",
    "By the evening most of the town had heard of it, and the landlord of the lower inn had already made a song. It has nine "
    "verses so far, of which four can be printed.",
]


def head(title, language, extra=""):
    return f'<!DOCTYPE html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n{extra}</head>\n'


def consent(slug, headline, first):
    """A consent form in German, on every address alike."""
    return head("Einwilligung – Der Morgenkurier", "de", '<script src="/cmp/loader.js"></script>\n') + """<body class="cmp">
<div class="cmp-box" role="dialog"><img src="/logo.svg" alt="Der Morgenkurier">
<h1>Willkommen beim Morgenkurier</h1>
<p>Wir und unsere 217 Partner speichern Informationen auf Ihrem Gerät und verarbeiten personenbezogene Daten, um Ihnen
personalisierte Werbung und Inhalte zu zeigen und ihre Leistung zu messen.</p>
<p>Mit einem Klick auf „Zustimmen“ erteilen Sie Ihre Einwilligung. Sie können sie jederzeit in den Einstellungen zur
Privatsphäre widerrufen. Ohne Zustimmung lesen Sie uns mit einem Abo ohne Werbung.</p>
<button class="cmp-yes">Zustimmen</button> <button class="cmp-no">Einstellungen</button>
<p class="cmp-links"><a href="/datenschutz">Datenschutz</a> <a href="/impressum">Impressum</a></p></div></body></html>
"""


def bot_check(slug, headline, first):
    """A check for bots, with an identifier of its own on every page."""
    ray = record_id("ray", slug)[10:26].replace("-", "")
    return head("Just a moment...", "en-US", '<meta name="robots" content="noindex,nofollow">\n') + f"""<body>
<div class="main-wrapper"><div class="main-content"><h1 class="zone-name">lower-town-news.example</h1>
<h2 id="challenge-running">Verifying you are human. This may take a few seconds.</h2>
<noscript><p>Enable JavaScript and cookies to continue</p></noscript>
<p id="challenge-body-text">lower-town-news.example needs to review the security of your connection before proceeding.</p>
</div></div><div class="footer"><p>Ray ID: <code>{ray}</code></p><p>Performance and security by the gatekeeper</p></div>
</body></html>
"""


def soft_404(slug, headline, first):
    """An error page in Spanish with status 200, which repeats the address."""
    return head("Página no encontrada | El Faro del Norte", "es") + f"""<body>
<header><a href="/">El Faro del Norte</a><nav><a href="/puerto">Puerto</a> <a href="/pueblo">Pueblo</a></nav></header>
<main><article><h1>Página no encontrada</h1>
<p>Lo sentimos: la página «/{slug}» que busca no existe, o se ha movido a otra dirección.</p>
<p>Compruebe que la dirección está bien escrita, vuelva a la portada o use el buscador para encontrar la noticia que le
interesa.</p></article></main>
<footer><p>El Faro del Norte, el diario de los que madrugan.</p></footer></body></html>
"""


def paywall_stub(slug, headline, first):
    """A headline, and a request to subscribe where the article would be."""
    return head(f"{headline} | The Upper Town Review", "en") + f"""<body>
<header><a href="/">The Upper Town Review</a><nav><a href="/town">Town</a> <a href="/letters">Letters</a></nav></header>
<main><article><h1>{headline}</h1>
<div class="paywall"><h2>This article is for subscribers only</h2>
<p>Subscribe now to read this article and everything else that we write, from two shillings a week. Cancel at any time.</p>
<p>Already a subscriber? <a href="/login">Sign in to continue reading</a>.</p></div></article></main>
<footer><p>The Upper Town Review has been in print since before the bridge.</p></footer></body></html>
"""


def script_shell(slug, headline, first):
    """A page whose text scripts would load."""
    return head("Quayside Post", "en", '<script type="module" src="/assets/index-4f2a91.js"></script>\n') + """<body>
<div id="root"><div class="shell"><p>You need to enable JavaScript to run this app. The Quayside Post requires JavaScript to load
stories, pictures and the weather. Please turn it on in the settings of your browser and reload the page, or use a browser that
supports it.</p></div></div></body></html>
"""


def closed(slug, headline, first):
    """A notice that has nothing to do with the address, and that no phrase names."""
    return head("The Marsh Courier", "en") + """<body>
<header><a href="/">The Marsh Courier</a></header>
<main><article><h1>The Marsh Courier</h1>
<p>The press of the Courier rests while the roof above it is mended, and the editors are at the seaside with the type. Whoever
finds the cat of the composing room may keep it until we are all back in the autumn.</p></article></main>
</body></html>
"""


def blocked(slug, headline, first):
    """A page of a gatekeeper that blocks the crawler, with an identifier and an address in its last line."""
    number = 7 * len(slug) + len(headline)
    return head("Attention Required!", "en-US") + f"""<body>
<div id="wrapper"><h1>Sorry, you have been blocked</h1><h2>You are unable to access island-gazette.example</h2>
<h3>Why have I been blocked?</h3><p>This website is using a security service to protect itself from attacks. What you just did
triggered it. Several things can: a certain word or phrase, a query for a database, or malformed data.</p>
<h3>What can I do to resolve this?</h3><p>You can write to the owner of the site. Please say what you were doing when this page
came up, and which number is at its end.</p>
<p>Ray ID: 8a{number}f2{number} • Your IP: 192.0.2.{number % 250} • Performance and security by the gatekeeper</p></div></body></html>
"""


def lost(slug, headline, first):
    """An error page with status 200 that repeats the whole address, and offers other stories on every page."""
    at = [story[0] for story in STORIES].index(slug)
    others = "".join(f'<li><a href="/{s}">{h}</a></li>' for s, h, _ in (STORIES[at + 1 :] + STORIES[:at])[:5])
    return head("Page not found – River Bulletin", "en") + f"""<body>
<header><a href="/">River Bulletin</a><nav><a href="/news">News</a> <a href="/sport">Sport</a></nav></header>
<main><h1>Oops! That page can’t be found.</h1>
<p>It looks as if there is nothing at https://river-bulletin.example/{slug}. It may have been moved. Try a search?</p>
<h2>Most read</h2><ul>{others}</ul></main>
<footer><p>River Bulletin, twice a week.</p></footer></body></html>
"""


def article(slug, headline, first, extra="", paragraphs=None):
    text = "\n".join(f"<p>{p}</p>" for p in [first] + (PARAGRAPHS if paragraphs is None else paragraphs))
    return head(f"{headline} | Market Square", "en") + f"""<body>
<header><a href="/">Market Square</a><nav><a href="/news">News</a> <a href="/sport">Sport</a></nav></header>
<main><article class="story"><h1>{headline}</h1>
{text}
{extra}</article></main>
<footer><p>Market Square is printed on Thursdays.</p></footer></body></html>
"""


WALL = """<div class="paywall"><p>Subscribe to continue reading this article. Already a subscriber? Sign in to continue.</p></div>"""

# Site, what must come of its pages, and what makes them.
SITES = [
    ("morgenkurier.example", "consent-wall", consent),
    ("lower-town-news.example", "bot-check", bot_check),
    ("faro-del-norte.example", "soft-404", soft_404),
    ("upper-town-review.example", "paywall-stub", paywall_stub),
    ("quayside-post.example", "script-shell", script_shell),
    ("marsh-courier.example", "duplicate-text", closed),
    ("island-gazette.example", "bot-check", blocked),
    ("river-bulletin.example", "soft-404", lost),
]


def build():
    """The files below data/: path → bytes."""
    archive, rows = Archive("walls.warc.gz"), []

    def page(url, html, outcome, access=None):
        archive.exchange(url, "200 OK", {"Server": "sample", "Content-Type": "text/html; charset=utf-8"}, html.encode())
        rows.append({"url": url, "outcome": outcome} | ({"access": access} if access else {}))

    for host, outcome, make in SITES:
        for story in STORIES[:PAGES]:
            page(f"https://{host}/{story[0]}", make(*story), outcome)
    for number, (slug, headline, first) in enumerate(STORIES):
        # Each article has its own words.
        own = [f"{p} {first}" if n == number % 4 else p.replace("town", slug.split("-")[0] + " quarter") for n, p in enumerate(PARAGRAPHS)]
        page(f"https://market-square.example/{slug}", article(slug, headline, first, paragraphs=own), "article")
        if number % 2 == 0:
            html = article(slug, headline, first, WALL, [own[number % 4]])
            page(f"https://market-square.example/members/{slug}-in-full", html, "article", "partial")
    for slug, headline, first in STORIES[:3]:
        page(f"https://market-square.example/late/{slug}-again", consent(slug, headline, first), "consent-wall")
    lines = "".join(json.dumps(row) + "\n" for row in sorted(rows, key=lambda row: row["url"]))
    return {"walls/walls.warc.gz": archive.bytes(), "walls/expected.jsonl": lines.encode()}
