"""Turns web pages into articles: learns one XPath wrapper for each layout of a site, and applies it.

>>> import sitegrove
>>> model = sitegrove.learn(pages)              # (url, html) of one site  # doctest: +SKIP
>>> article = model.apply(html, url)            # doctest: +SKIP
"""

from ._run import RunResult, read_run, run
from ._sitegrove import (
    Article,
    Drop,
    FeedItem,
    Health,
    ModelStore,
    Page,
    Progress,
    RecordBatch,
    RecordBatchReader,
    Settings,
    SiteModel,
    Template,
    WarcReader,
    __version__,
    extract,
    extract_table,
    learn,
    import_models,
    open_models,
    read_warc,
    read_warc_table,
    site_key,
)
from .errors import InputError, InternalError, ModelError, SettingsError, SitegroveError

__all__ = [
    "Article",
    "Drop",
    "FeedItem",
    "Health",
    "InputError",
    "InternalError",
    "ModelError",
    "ModelStore",
    "Page",
    "Progress",
    "RecordBatch",
    "RecordBatchReader",
    "RunResult",
    "Settings",
    "SettingsError",
    "SiteModel",
    "SitegroveError",
    "Template",
    "WarcReader",
    "__version__",
    "extract",
    "extract_table",
    "learn",
    "import_models",
    "open_models",
    "read_run",
    "read_warc",
    "read_warc_table",
    "run",
    "site_key",
]
