"""Pages, articles, settings and exceptions: what they hold, and that they can be pickled."""

from __future__ import annotations

import pickle
from datetime import datetime, timezone
from typing import Any

import pytest

import sitegrove
from sitegrove import Article, Drop, FeedItem, InputError, Page, Settings, SiteModel

WORDS = "The mayor of the town said that the bridge stays open all winter. " * 8
HTML = f"<title>News</title><ul><li><a href=/>Home</a></ul><article><h1>A bridge</h1><p>{WORDS}</article>"


def test_one_page() -> None:
    article = sitegrove.extract(HTML, "https://example.org/news/1")
    assert article is not None
    assert (article.title, article.site, article.template) == ("A bridge", "example.org", "")
    assert "stays open" in article.text and "Home" not in article.text
    assert sitegrove.extract(HTML.encode("utf-16"), "https://example.org/news/1") is not None
    assert sitegrove.extract(HTML) is not None
    assert sitegrove.extract("") is None


def test_feed_items_of_the_page_are_used() -> None:
    items = [
        FeedItem("https://example.org/news/1?utm_source=rss", title="A bridge", authors=["Ann Lee"]),
        FeedItem("https://example.org/news/2", title="Another", authors=["Bob Ray"]),
    ]
    article = sitegrove.extract(HTML, "https://example.org/news/1", feed_items=items)
    assert article is not None and article.authors == ["Ann Lee"]
    with pytest.raises(TypeError):
        sitegrove.extract(HTML, feed_items=["no item"])  # type: ignore[list-item]


def test_values_can_be_pickled(model: SiteModel, gazette: list[Page]) -> None:
    when = datetime(2026, 1, 2, 3, 4, tzinfo=timezone.utc)
    page = Page("https://example.org/", b"<p>\xe9", fetched=when, http_charset="latin1")
    assert (page.fetched, page.html, page.charset_evidence) == (when, "<p>é", "http")
    outcomes = [model.apply_page(page) for page in gazette]
    values: list[object] = [page, *gazette[:3], *outcomes, FeedItem("https://e.org/", published="Thu, 10 Sep 2026 08:30:00 JST"), Settings(engine="forest")]
    values += [model, model.settings]
    assert {Article, Drop} <= {type(value) for value in values}
    for value in values:
        copy = pickle.loads(pickle.dumps(value))
        assert copy == value and type(copy) is type(value)
        assert repr(copy) == repr(value)
        assert value != "something else"


@pytest.mark.parametrize("name", ["SitegroveError", "ModelError", "SettingsError", "InternalError"])
def test_exceptions_can_be_pickled(name: str) -> None:
    error = getattr(sitegrove, name)("what is wrong")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error) and str(copy) == "what is wrong"
    assert isinstance(copy, sitegrove.SitegroveError)


def test_input_errors_say_where() -> None:
    copy = pickle.loads(pickle.dumps(InputError("cannot read a.warc", "a.warc", 17)))
    assert (str(copy), copy.path, copy.offset) == ("cannot read a.warc", "a.warc", 17)


def test_settings() -> None:
    assert Settings() == Settings() and Settings().digest == Settings(markdown=True).digest
    assert Settings() != Settings(markdown=True) != Settings(cluster={"min_words": 3})
    assert Settings(cluster={"min_words": 3})["cluster"]["min_words"] == 3
    wrongs: list[dict[str, Any]] = [{"cluster": {"min_wrods": 3}}, {"cluster": {"min_words": "x"}}, {"clutser": {}}]
    for wrong in wrongs:
        with pytest.raises(sitegrove.SettingsError):
            Settings(**wrong)
    with pytest.raises(sitegrove.SettingsError, match="no.toml"):
        Settings("no.toml")
    with pytest.raises(sitegrove.SettingsError):
        Settings(engine="steam")


def test_markdown_is_given_where_it_is_asked_for() -> None:
    html = HTML.replace("winter", "<b>winter</b>")
    plain = sitegrove.extract(html)
    asked = sitegrove.extract(html, settings=Settings(markdown=True))
    assert plain is not None and plain.markdown is None
    assert asked is not None and asked.markdown is not None and "all **winter**." in asked.markdown


def test_passages_are_given_where_they_are_asked_for() -> None:
    plain, asked = sitegrove.extract(HTML), sitegrove.extract(HTML, passages=12)
    of_settings = sitegrove.extract(HTML, settings=Settings(emit={"passages": 12}))
    assert plain is not None and asked is not None and of_settings is not None
    assert plain.passages == [] and asked.passages == of_settings.passages and len(asked.passages) > 1
    texts = [asked.text[passage["start"] : passage["end"]] for passage in asked.passages]  # type: ignore[index]
    assert "".join(" ".join(texts).split()) == "".join(asked.text.split())
