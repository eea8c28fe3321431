"""www.starfield-society.example: an astronomy club's site of 2003. Nested tables and font tags, no class, no id.

Hard: nothing to hold on to but position; unclosed <P>, <TD>, <TR> and <LI>, stray </div>, misnested <B><I>,
entities for everything beyond ASCII, no declared charset, half the pages use <BR><BR> for paragraphs.
No metadata at all apart from <TITLE>.
"""
import feeds as feed
from markup import Feed, Html, Page, gold, links, load, number, others

SITE, HOST = "starfield-society.example", "www.starfield-society.example"
ROOT = f"http://{HOST}"
CODEC, CONTENT_TYPE = "ascii", "text/html"
MONTHS = "January February March April May June July August September October November December".split()


class Old(Html):
    def __init__(self, breaks):
        self.breaks = breaks

    def strong(self, m):
        return f"<B><I>{m[1]}</B></I>"

    def em(self, m):
        return f"<I>{m[1]}</I>"

    def p(self, text):
        return f"{self.inline(text)}<BR><BR>" if self.breaks else f"<P>{self.inline(text)}"

    def table(self, rows):
        cells = "\n".join("<TR>" + "".join(f'<TD><FONT SIZE=1>{self.inline(c)}</FONT>' for c in row) for row in rows)
        return f"<CENTER><TABLE BORDER=1 CELLPADDING=3>\n{cells}\n</TABLE></CENTER>" + ("<BR>" if self.breaks else "")


def shell(title, main, articles):
    nav = links([("/index.htm", "Home"), ("/observing.htm", "Observing"), ("/articles/index.htm", "Articles"), ("/members.htm", "Members"), ("/links.htm", "Links"), ("/guest.cgi", "Guest book")], '<TR><TD BGCOLOR="#000044"><A HREF="{0}"><FONT FACE="Verdana" SIZE=1 COLOR="#CCCCFF">{1}</FONT></A>')
    return f"""<HTML>
<HEAD><TITLE>Starfield Society: {title}</TITLE></HEAD>
<BODY BGCOLOR="#FFFFFF" TEXT="#000000" LINK="#003399">
<TABLE WIDTH=760 BORDER=0 CELLSPACING=0 CELLPADDING=0 ALIGN=CENTER>
<TR><TD COLSPAN=3 BGCOLOR="#000022"><IMG SRC="/gfx/banner.gif" WIDTH=760 HEIGHT=80 ALT="Starfield Society">
<TR><TD WIDTH=130 VALIGN=TOP BGCOLOR="#000022">
<TABLE WIDTH="100%" CELLSPACING=2>
{nav}
</TABLE>
<BR><FONT FACE="Verdana" SIZE=1 COLOR="#CCCCFF">Members meet on the second Friday of every month at the quarry, or in the school hall if it rains, which it does.</FONT>
<TD WIDTH=480 VALIGN=TOP>
<TABLE WIDTH="100%" CELLPADDING=10><TR><TD>
{main}
</TABLE>
<TD WIDTH=150 VALIGN=TOP BGCOLOR="#EEEEFF">
<TABLE CELLPADDING=6><TR><TD><FONT FACE="Verdana" SIZE=1><B>Next meeting</B><BR>Mr. Bassett will show slides of his sixteen-inch and answer all questions except how much it cost.<BR><BR>
<B>For sale</B><BR>Equatorial mount, one careful owner, slight smell of goat. Ask at the tea urn.<BR><BR><B>From the archive</B><BR>
{links(((a.url, a.title) for a in articles), '<A HREF="{0}">{1}</A>', '<BR>')}
</FONT></TABLE>
<TR><TD COLSPAN=3><CENTER><FONT SIZE=1>Best viewed at 800x600 after half an hour in the dark. &copy; Starfield Society 1998-2007</FONT></CENTER>
</TABLE>
</div>
</BODY></HTML>
"""


def article_page(a, everyone):
    near = others(everyone, a, 3)
    y, m, d = a.day.split("-")
    breaks = number(0, 2, a.slug, "br")
    advert = f'<TABLE ALIGN=RIGHT WIDTH=120 BORDER=1><TR><TD><FONT SIZE=1>Our sponsor: Dobbs Opticians, who ground the mirror of many a member and never laughed.</FONT></TABLE>'
    also = "\n".join(f'<LI><FONT FACE="Verdana" SIZE=1><A HREF="{o.url}">{o.title}</A><BR>{o.lead}</FONT>' for o in near)
    main = f"""<FONT FACE="Verdana" SIZE=4 COLOR="#000066"><B>{a.title}</B></FONT><BR>
<FONT FACE="Verdana" SIZE=1>by {a.author}, {int(d)} {MONTHS[int(m) - 1]} {y} | <A HREF="javascript:window.print()">print</A> | <A HREF="mailto:web@{HOST}">write to the editor</A></FONT><HR NOSHADE>
{advert}
<FONT FACE="Verdana" SIZE=2>
{Old(breaks).body(a)}
</FONT>
<HR NOSHADE>
<FONT FACE="Verdana" SIZE=1><B>You may also like</B></FONT>
<UL>
{also}
</UL>
<FONT FACE="Verdana" SIZE=1>The opinions expressed are those of the author, and the society's insurers would like you to know it.</FONT></div>"""
    return shell(a.title, main, others(everyone, a, 5))


def pages():
    articles = load("starfield")
    for a in articles:
        a.url = f"{ROOT}/articles/{a.slug.replace('-', '_')[:18]}.htm"
    out = [Page(a.url, article_page(a, articles), "article", "table", f"Starfield Society: {a.title}", a, gold(a)) for a in articles]
    listing = lambda title, chosen: shell(title, f'<FONT FACE="Verdana" SIZE=4><B>{title}</B></FONT><UL>' + "\n".join(f'<LI><A HREF="{a.url}">{a.title}</A><BR><FONT SIZE=2>{a.lead}</FONT>' for a in chosen) + "</UL>", articles)
    out.append(Page(f"{ROOT}/articles/index.htm", listing("Articles", articles), "list", "list"))
    out.append(Page(f"{ROOT}/observing.htm", listing("Observing", [a for a in articles if a.section == "observing"]), "list", "list"))
    out.append(Page(f"{ROOT}/members.htm", shell("Members", "<FONT SIZE=2>Subscriptions are six pounds a year, due in January, waived for anybody who brings cake.</FONT>", articles), "other", "static"))
    return out


def feed_documents(all_pages):
    articles = [p.article for p in all_pages if p.kind == "article"]
    items = [{"link": a.url.replace("http://www.", "https://"), "title": a.title, "summary": a.lead, "date": a.date, "author": a.author} for a in articles]
    return [Feed("starfield.rdf.xml", f"{ROOT}/index.rdf", "application/rdf+xml", feed.rss1("Starfield Society", ROOT + "/", items, "iso-8859-1"), [i["link"] for i in items])]
