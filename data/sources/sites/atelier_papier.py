"""atelier-papier.example: a French paper mill's magazine, XHTML 1.0 of 2010, UTF-8 with a byte order mark.

Hard: the standfirst belongs to the article but stands outside the text block, quotations and lists,
a long notice about visits repeated on every page, related articles with summaries. Dublin Core <meta> only.
"""
import feeds as feed
from markup import Feed, Html, Page, esc, gold, links, load, others

SITE = HOST = "atelier-papier.example"
ROOT = f"https://{HOST}"
CODEC, CONTENT_TYPE = "utf-8-sig", "text/html"


class Texte(Html):
    def p(self, text):
        return f'<p class="txt">{self.inline(text)}</p>'

    def ul(self, items, tag="ul"):
        return '<ul class="puces">' + "".join(f"<li>{self.inline(i)}</li>" for i in items) + "</ul>"

    def quote(self, text):
        return f'<blockquote class="txt_quote"><p>{self.inline(text)}</p></blockquote>'


def shell(title, head, main, articles):
    return f"""<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="fr" lang="fr">
<head><title>{esc(title)} - L'Atelier du papier</title>
<meta http-equiv="Content-Type" content="text/html; charset=utf-8" />
{head}</head>
<body>
<div id="conteneur">
<div id="entete"><a rel="start" href="/"><img src="/squelettes/logo.png" alt="L'Atelier du papier" /></a></div>
<div id="nav"><ul>{links([('/fabrication', 'Fabrication'), ('/histoire', 'Histoire'), ('/reliure', 'Reliure'), ('/encres', 'Encres'), ('/restauration', 'Restauration'), ('/visiter', 'Visiter le moulin')])}</ul></div>
{main}
<div id="extra"><div class="bloc"><h3>Visiter le moulin</h3><p>Le moulin se visite de mars à novembre, le mercredi et le dimanche après-midi. Les enfants repartent avec une feuille qu'ils ont faite ; les parents, avec leurs chaussures mouillées.</p></div>
<div class="bloc"><h3>Derniers articles</h3><ul>{links((a.url, a.title) for a in articles[-5:])}</ul></div></div>
<div id="pied">L'Atelier du papier, association loi 1901, au bord de la rivière. <a href="/plan">Plan du site</a></div>
</div>
</body></html>
"""


def article_page(a, everyone):
    near = others(everyone, a, 3)
    head = f'<meta name="DC.title" content="{esc(a.title)}" />\n<meta name="DC.creator" content="{esc(a.author)}" />\n<meta name="DC.date" content="{a.day}" />\n<meta name="description" content="{esc(a.lead)}" />\n'
    d = a.day.split("-")
    main = f"""<div id="contenu">
<div class="cartouche"><h1 class="titre">{esc(a.title)}</h1><p class="info">le {d[2]}/{d[1]}/{d[0]}, par <span class="vcard">{esc(a.author)}</span></p></div>
<div class="chapo"><p>{esc(a.lead)}</p></div>
<div class="texte">
{Texte().body(a)}
</div>
<div class="partage"><a href="mailto:?subject={esc(a.slug)}">Envoyer</a> <a href="javascript:window.print()">Imprimer</a></div>
<div class="memerubrique"><h2>Dans le même esprit</h2><ul>{"".join(f'<li><a href="{o.url}">{esc(o.title)}</a><div class="intro">{esc(o.lead)}</div></li>' for o in near)}</ul></div>
<div class="forum"><h2>Un message, un commentaire ?</h2><p>Ce forum est modéré a priori : votre contribution n'apparaîtra qu'après avoir été validée par quelqu'un qui a les mains sèches.</p></div>
</div>"""
    return shell(a.title, head, main, everyone)


def pages():
    articles = load("atelier_papier")
    for i, a in enumerate(articles):
        a.url = f"{ROOT}/{a.slug}-{101 + i}"
    out = [Page(a.url, article_page(a, articles), "article", "article", f"{a.title} - L'Atelier du papier", a, gold(a, standfirst=True)) for a in articles]
    listing = lambda title, chosen: shell(title, "", f'<div id="contenu"><h1>{title}</h1><ul class="liste">' + "".join(f'<li><h2><a href="{a.url}">{esc(a.title)}</a></h2><div class="intro">{esc(a.lead)}</div></li>' for a in chosen) + "</ul></div>", articles)
    out.append(Page(f"{ROOT}/", listing("Le papier, à la main", articles[::-1]), "list", "list"))
    out.append(Page(f"{ROOT}/histoire", listing("Histoire", [articles[1], articles[4], articles[3]]), "list", "list"))
    out.append(Page(f"{ROOT}/visiter", shell("Visiter", "", '<div id="contenu"><h1>Visiter le moulin</h1><p>Depuis la gare, comptez vingt minutes à pied en suivant le bruit de l\'eau.</p></div>', articles), "other", "static"))
    return out


def feed_documents(all_pages):
    articles = [p.article for p in all_pages if p.kind == "article"]
    items = [{"link": a.url + "?xtor=RSS-1&utm_source=rss", "title": a.title, "summary": a.lead, "date": a.date, "author": a.author} for a in articles]
    return [Feed("atelier-papier.atom.xml", f"{ROOT}/atom.xml", "application/atom+xml", feed.atom("L'Atelier du papier", ROOT + "/", items, "fr"), [i["link"] for i in items])]
