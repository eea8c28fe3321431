"""The peers for metadata, each a function from html and address to {"title","authors","published"}.

Each is called as its documentation shows for html in memory, with nothing fetched. Authors that a peer returns as one
string are split at its separator. A peer may give a date of today or later: none of them gets the time of the fetch.
"""
from collections.abc import Callable

Metadata = dict[str, object]


def trafilatura() -> Callable[[str, str], Metadata]:
    from trafilatura.metadata import extract_metadata

    def extract(html: str, url: str) -> Metadata:
        found = extract_metadata(html, default_url=url)
        # Its separator, see trafilatura.json_metadata.normalize_authors.
        authors = [name.strip() for name in (found.author or "").split("; ") if name.strip()]
        return {"title": found.title, "authors": authors, "published": found.date}

    return extract


def newspaper4k() -> Callable[[str, str], Metadata]:
    from newspaper import Article

    def extract(html: str, url: str) -> Metadata:
        article = Article(url or "http://page.invalid/", fetch_images=False)
        article.download(input_html=html)
        article.parse()
        date = article.publish_date
        published = date.isoformat() if hasattr(date, "isoformat") else date or None
        return {"title": article.title or None, "authors": list(article.authors), "published": published}

    return extract


def htmldate() -> Callable[[str, str], Metadata]:
    from htmldate import find_date

    def extract(html: str, url: str) -> Metadata:
        # The date of publication; without original_date it returns the last change.
        return {"title": None, "authors": [], "published": find_date(html, original_date=True, url=url or None)}

    return extract


EXTRACTORS = {"trafilatura": trafilatura, "newspaper4k": newspaper4k, "htmldate": htmldate}
