"""An extractor of HTML for NeMo Curator's pipelines over Common Crawl.

::

    from nemo_curator.stages.text.download import CommonCrawlDownloadExtractStage
    from sitegrove.nemo import HtmlExtractor

    stage = CommonCrawlDownloadExtractStage("2025-23", "2025-23", "downloads", html_extraction=HtmlExtractor())

Needs ``pip install 'nemo-curator[text-cpu]'``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitegrove import Article, InputError, SiteModel, extract

if TYPE_CHECKING:

    class HTMLExtractorAlgorithm:
        """An algorithm that gives the text of a page."""
else:
    try:
        from nemo_curator.stages.text.download.html_extractors import HTMLExtractorAlgorithm
    except ImportError:
        # Of use without NeMo Curator only to those who call it themselves.
        HTMLExtractorAlgorithm = object

__all__ = ["HtmlExtractor"]


class HtmlExtractor(HTMLExtractorAlgorithm):
    """Gives the paragraphs of a page. NeMo Curator hands over pages one by one and without their addresses.

    Parameters
    ----------
    model : SiteModel, optional
        The model of the site that all pages are of; without it, each is extracted by itself.
    """

    def __init__(self, model: SiteModel | None = None) -> None:
        self.model: SiteModel | None = model

    def extract_text(self, html: str, stop_words: frozenset[str], language: str) -> list[str] | None:
        """Extract the paragraphs of a page, None if it has no article. The other arguments are not needed."""
        del stop_words, language
        try:
            found = extract(html) if self.model is None else self.model.apply(html, f"https://{self.model.site}/")
        except InputError:
            # The page is nothing but an address.
            return None
        return found.text.split("\n\n") if isinstance(found, Article) and found.text else None
