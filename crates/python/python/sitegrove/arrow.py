"""Articles of tables of pages, in the forms that Ray Data, Daft and polars call.

With Ray Data, each actor opens the store of models once::

    pages = ray.data.read_parquet("pages/")
    articles = pages.map_batches(ApplyModels, fn_constructor_args=["models.sqlite"], batch_format="pyarrow", concurrency=8)

With polars, whose frames come back as frames::

    articles = polars.scan_parquet("pages.parquet").collect().pipe(ApplyModels("models.sqlite"))

With Daft, a column of records::

    article = ApplyModels("models.sqlite").of_columns
    kind = daft.DataType.from_arrow_type(pyarrow.struct(ApplyModels.schema()))
    frame = frame.with_column("article", daft.func.batch(return_dtype=kind)(article)(frame["url"], frame["html"]))
"""

from __future__ import annotations

from os import PathLike
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]

from sitegrove import ModelStore, Settings, extract_table, open_models

__all__ = ["ApplyModels"]


class ApplyModels:
    """Turns tables of pages into tables of articles. It can be pickled: each process opens the models for itself.

    Parameters
    ----------
    models : path, optional
        A store of site models (``sitegrove run --models``). A page of a site that it does not have, or every page without
        a store, is extracted by itself.
    settings : dict
        Settings by table, as `Settings` takes them.
    threads : int
        Threads for each call.
    """

    def __init__(self, models: str | PathLike[str] | None = None, settings: dict[str, Any] | None = None, threads: int = 1) -> None:
        self.models: str | PathLike[str] | None = models
        self.settings: dict[str, Any] = dict(settings or {})
        self.threads: int = threads
        self._open: tuple[ModelStore | None, Settings] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_open": None}

    @staticmethod
    def schema() -> pa.Schema:
        """Give the schema of the tables of articles."""
        pages = pa.table({"url": pa.array([], pa.string()), "html": pa.array([], pa.string())})
        return pa.table(extract_table(pages)).schema

    def __call__(self, pages: Any) -> Any:
        """Extract the articles of pages.

        Parameters
        ----------
        pages : Arrow table
            With the columns ``url`` and ``html``, and those that `read_warc_table` gives beside them.

        Returns
        -------
        pyarrow.Table, or polars.DataFrame for one
            A row for each page, in their order, as from `SiteModel.apply_table`.
        """
        if self._open is None:
            store = None if self.models is None else open_models(self.models)
            self._open = store, Settings(**self.settings)
        store, settings = self._open
        if store is None:
            articles = extract_table(pages, settings=settings, threads=self.threads)
        else:
            articles = store.apply_table(pages, settings=settings, threads=self.threads)
        if type(pages).__module__.startswith("polars"):
            import polars

            return polars.DataFrame(articles)
        return pa.table(articles)

    def of_columns(self, urls: Any, htmls: Any) -> pa.Array:
        """Extract the articles of columns of addresses and HTML, anything with ``to_arrow`` or ``__arrow_c_array__``.

        Returns
        -------
        pyarrow.StructArray
            An article for each page.
        """
        columns = [column.to_arrow() if hasattr(column, "to_arrow") else pa.array(column) for column in (urls, htmls)]
        articles = self(pa.table(columns, names=["url", "html"]))
        return articles.to_struct_array().combine_chunks()
