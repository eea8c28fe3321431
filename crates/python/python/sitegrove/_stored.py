"""Rows of a store of site models, as `ModelStore` gives them."""

from __future__ import annotations

from typing import TypedDict

__all__ = ["StoredNight", "StoredRevision", "StoredSite"]


class StoredSite(TypedDict):
    """A site and how it was when last seen."""

    site: str
    revision: int
    verdict: str
    first_seen: str
    last_seen: str
    retained: int
    bytes: int


class StoredRevision(TypedDict):
    """A revision of a site's model."""

    revision: int
    night: str
    reason: str
    pages: int
    templates: int
    format: int
    engine: str
    weights: str | None
    bytes: int


class StoredNight(TypedDict):
    """A night of a site: how the site was, what was decided, and what came of it."""

    run: int
    night: str
    health: str
    blocked_by: str | None
    evidence: str
    next: str
    decision: str
    reason: str
    revision: int
    sampled: int
    unassigned: int
    pages: int
    articles: int
    words: int
    lengths: tuple[float, float]
    confidence: float
    fields: dict[str, int]
    drops: dict[str, int]
    templates: dict[str, int]
    partial: int
    gone: int
    agreement: float | None
