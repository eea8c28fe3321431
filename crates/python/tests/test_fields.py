"""Fields of articles that an index filters by, and WACZ files."""
import json
import zipfile
from pathlib import Path

from sitegrove import Settings, extract, read_warc

CRAWL = Path(__file__).resolve().parents[3] / "data" / "crawl"
TEXT = " ".join(["The ferry keeps its winter timetable, and nobody in the lower town was surprised to hear of it."] * 8)


def page(**declared: object) -> str:
    record = json.dumps({"@type": "NewsArticle", "headline": "The ferry", **declared})
    return (
        f'<html lang="en"><head><title>The ferry</title><script type="application/ld+json">{record}</script></head>'
        f"<body><article><h1>The ferry</h1><p>{TEXT}</p><p>{TEXT}</p></article></body></html>"
    )


def test_fields_to_filter_by() -> None:
    html = page(articleSection="Harbour", license="CC BY 4.0", isAccessibleForFree=False, wordCount=9000)
    article = extract(html, url="https://notes.example/ferry")
    assert article is not None
    assert (article.section, article.license, article.access) == ("Harbour", "CC BY 4.0", "partial")
    assert article.language_score is not None and article.language_score > 0.5
    assert abs(article.word_count - len(article.text.split())) < 20
    assert len(article.content_hash) == 32
    assert (article.gone, article.gone_status, article.moved_to) == (None, None, None)
    record = article.to_dict()
    for name in ("section", "license", "access", "word_count", "content_hash", "language_score"):
        assert record[name] == getattr(article, name)


def test_text_begins_with_its_title_always_or_never() -> None:
    for url in ("https://notes.example/ferry", "https://notes.example/another"):
        without = extract(page(), url=url)
        within = extract(page(), url=url, settings=Settings(extract={"title_in_text": True}))
        assert without is not None and within is not None
        assert within.text == f"The ferry\n\n{without.text}"
        assert not without.text.startswith("The ferry\n")


def test_archives_in_wacz_files(tmp_path: Path) -> None:
    archives = sorted(CRAWL.glob("*.warc.gz"))[:2]
    wacz = tmp_path / "crawl.wacz"
    with zipfile.ZipFile(wacz, "w", zipfile.ZIP_STORED) as file:
        file.writestr("datapackage.json", "{}")
        for path in archives:
            file.write(path, f"archive/{path.name}")
    expected = [(own.url, own.html) for path in archives for own in read_warc(path)]
    assert [(own.url, own.html) for own in read_warc(wacz)] == expected
    packed = tmp_path / "packed.wacz"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for path in archives:
            file.write(path, f"archive/{path.name}")
    assert [(own.url, own.html) for own in read_warc(packed)] == expected
