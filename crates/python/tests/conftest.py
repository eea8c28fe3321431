"""What tests share: the sample crawl, read once, and the examples of the documents."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from pathlib import Path

import pytest

import sitegrove
from sitegrove import FeedItem, Page, SiteModel

REPOSITORY = Path(__file__).resolve().parents[3]
CRAWL = sorted((REPOSITORY / "data" / "crawl").glob("*.warc.gz"))


def blocks(path: Path, language: str) -> list[str]:
    """The blocks of a document in a language."""
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [text for name, text in fenced if name == language]


@pytest.fixture(scope="session")
def sites() -> dict[str, list[Page]]:
    """The pages of the sample crawl by site."""
    pages: dict[str, list[Page]] = defaultdict(list)
    for path in CRAWL:
        for page in sitegrove.read_warc(path):
            pages[page.site].append(page)
    return dict(pages)


@pytest.fixture(scope="session")
def feed_items() -> dict[str, list[FeedItem]]:
    """The feed items of the sample crawl by site."""
    items: dict[str, list[FeedItem]] = defaultdict(list)
    for path in CRAWL:
        reader = sitegrove.read_warc(path)
        for _ in reader:
            pass
        for item in reader.feed_items:
            items[sitegrove.site_key(item.link) or ""].append(item)
    return dict(items)


@pytest.fixture(scope="session")
def gazette(sites: dict[str, list[Page]]) -> list[Page]:
    """The pages of the largest site."""
    return sites["harbour-gazette.example"]


@pytest.fixture(scope="session")
def model(gazette: list[Page]) -> SiteModel:
    """What is learnt of the largest site."""
    return sitegrove.learn(gazette)


@pytest.fixture(scope="session")
def program() -> Path:
    """The program, built before: `SITEGROVE_PROGRAM`, or that of the dev profile."""
    path = Path(os.environ.get("SITEGROVE_PROGRAM", REPOSITORY / "target" / "debug" / "sitegrove"))
    if not path.exists():
        pytest.skip(f"no program at {path}: cargo build --package sitegrove, or set SITEGROVE_PROGRAM")
    return path
