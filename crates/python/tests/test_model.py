"""Site models: learning, applying, bytes, and what people see of them."""

from __future__ import annotations

import random

import pytest

import sitegrove
from sitegrove import Article, Page, Settings, SiteModel


def test_a_model_of_a_site(model: SiteModel, gazette: list[Page]) -> None:
    assert (model.site, model.engine, model.pages) == ("harbour-gazette.example", "grove", len(gazette))
    kinds = {template.kind for template in model.templates}
    assert "article" in kinds
    for template in model.templates:
        assert model.wrappers.get(template.id, []) == template.content
        assert template.examples and template.pages > 0
    by_template = {model.apply_page(page).to_dict().get("template") for page in gazette}
    assert by_template - {None} <= {template.id for template in model.templates}


def test_learning_depends_on_the_set_of_pages(model: SiteModel, gazette: list[Page]) -> None:
    shuffled = gazette.copy()
    random.Random(7).shuffle(shuffled)
    assert sitegrove.learn(shuffled) == model
    assert sitegrove.learn(shuffled, threads=2).to_bytes() == model.to_bytes()
    pairs = ((page.url, page.html) for page in gazette)
    assert sitegrove.learn(pairs) == model
    assert sitegrove.learn(gazette[:9]) != model


def test_applying_is_a_function(gazette: list[Page]) -> None:
    first, second = sitegrove.learn(gazette), sitegrove.learn(gazette)
    forwards = [first.apply_page(page) for page in gazette]
    backwards = [second.apply_page(page) for page in reversed(gazette)]
    assert forwards == backwards[::-1]


def test_a_later_model_keeps_ids(model: SiteModel, gazette: list[Page]) -> None:
    later = sitegrove.learn(gazette, previous=model)
    assert {template.id for template in later.templates} == {template.id for template in model.templates}


def test_bytes_come_back_and_are_not_trusted(model: SiteModel) -> None:
    data = model.to_bytes()
    assert SiteModel.from_bytes(data) == model
    assert SiteModel.from_bytes(data).to_bytes() == data
    for wrong in (b"", b"sitegrov", data[:-1], data[:99] + b"x" + data[100:], b"x" * 99):
        with pytest.raises(sitegrove.ModelError):
            SiteModel.from_bytes(wrong)
    with pytest.raises(sitegrove.ModelError, match="settings"):
        SiteModel.from_bytes(data, Settings(engine="forest"))


def test_pages_of_one_site_are_asked_for(sites: dict[str, list[Page]]) -> None:
    with pytest.raises(sitegrove.InputError, match="no pages"):
        sitegrove.learn([])
    mixed = [pages[0] for pages in sites.values()]
    with pytest.raises(sitegrove.InputError, match="several|sites"):
        sitegrove.learn(mixed)
    assert sitegrove.learn(mixed, site="mixed").site == "mixed"
    with pytest.raises(TypeError):
        sitegrove.learn([1, 2])  # type: ignore[list-item]


def test_health(gazette: list[Page]) -> None:
    model = sitegrove.learn(gazette)
    assert (model.health.verdict, model.health.pages) == ("too-few-pages", 0)
    for page in gazette:
        model.apply_page(page)
    assert (model.health.verdict, model.health.pages) == ("healthy", len(gazette))
    for n in range(3 * len(gazette)):
        model.apply(f"<table><tr><td>{'Other words on another page. ' * 20}<td>{n}</table>", f"https://e.org/{n}")
    assert model.health.verdict == "broken" and model.health.unassigned > 0
    assert model == sitegrove.learn(gazette), "health is no part of a model"


def test_what_people_see(model: SiteModel) -> None:
    assert repr(model).startswith("<SiteModel of harbour-gazette.example, learnt from ")
    html = model._repr_html_()
    for template in model.templates:
        assert template.id in html
        assert all(path.replace("&", "&amp;") in html for path in template.content)
    odd = sitegrove.learn([("https://e.org/<script>", "<p>x")], site="<b>")
    assert "<b>" not in odd._repr_html_() and "<script>" not in odd._repr_html_()


def test_pages_of_new_layouts_are_looked_at_by_themselves(model: SiteModel) -> None:
    words = "Nobody had seen a page like this one before, and nobody will again. " * 9
    article = model.apply(f"<table><tr><td><h1>New</h1><p>{words}<p>{words}</table>", "https://example.org/new")
    assert isinstance(article, Article) and article.template == ""
