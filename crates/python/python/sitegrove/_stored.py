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
    """A night of a site: what was decided, and how the site was."""

    run: int
    night: str
    decision: str
    reason: str
    revision: int
    verdict: str
    pages: int
    unassigned: int
