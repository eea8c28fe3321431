"""Articles that are made for renderers: the same number gives the same article, in all forms of Markdown, with every kind of structure."""
import re

import markdown_sources
import pytest

pytestmark = pytest.mark.gate
FORMS = ["plain", "python", "myst", "mdx"]
WANTED = {"listing": r"^```\w+$", "listing in an item": r"^    ```\w+$", "display formula": r"^\$\$$", "formula": r"\$[^$\n]+\$ holds", "table": r"^\| .* \|$",
          "table with spans": "<th rowspan", "heading 2": "^## ", "list": "^-   [A-Z]", "numbered list": "^1.  ", "tasks": r"^-   \[[ x]\]", "note": r"^\[\^1\]: "}


def read_words(markdown):
    return re.findall(r"[a-z]+", re.sub(r"</?\w+[^>]*>|^\W*(note|warning|tip)\W*$", "", markdown.lower(), flags=re.M))


@pytest.mark.parametrize("number", [0, 7, 1234])
def test_articles_have_every_structure_in_every_form(number):
    articles = {form: markdown_sources.write_article(number, form) for form in FORMS}
    assert articles == {form: markdown_sources.write_article(number, form) for form in FORMS}
    title, plain = articles["plain"]
    assert [name for name, pattern in WANTED.items() if not re.search(pattern, plain, flags=re.M)] == []
    for form in FORMS:
        assert articles[form][0] == title
        assert read_words(articles[form][1]) == read_words(plain), form


def test_listings_have_what_is_easily_lost():
    texts = [text for _, text in markdown_sources.read_code()]
    for pattern in [r"\n\n", r"\n\n\n", r"^\t", r"^    ", r"[ \t]+$", r"^[ \t]+$", "[<&]", r"\$", "`", r"^   1   2   3$"]:
        assert any(re.search(pattern, text, flags=re.M) for text in texts), pattern
