"""Pages to be labelled, read by MinerU-HTML and Pulpie: their blocks, the answers of their models, and the content that they mark."""
import importlib.util
import json
import sys
import types
from html.parser import HTMLParser

import pytest
from conftest import CRAWL, read_lines


def load(*packages):
    """Makes modules of packages importable without what the packages themselves import: models and their frameworks."""
    for name in packages:
        module = types.ModuleType(name)
        module.__path__ = importlib.util.find_spec(name).submodule_search_locations
        sys.modules[name] = module


load("mineru_html", "mineru_html.process", "pulpie")
from mineru_html.process.map_to_main import extract_main_html  # noqa: E402
from mineru_html.process.parse_result import parse_llm_response  # noqa: E402
from pulpie.chunker import extract_blocks  # noqa: E402
from pulpie.reconstruct import extract_main_html as extract_by_pulpie  # noqa: E402


class TextReader(HTMLParser):
    """The words of HTML, or those of each element with an item id."""

    def __init__(self, html):
        super().__init__()
        self.words, self.items, self.open = [], {}, None
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.open = dict(attributes).get("_item_id", self.open)

    def handle_data(self, data):
        self.words += data.split()
        self.items.setdefault(self.open, []).extend(data.split())


@pytest.fixture(scope="module")
def labels(sitegrove, tmp_path_factory):
    """The file of pages to be labelled, of all templates of the sample crawl."""
    folder = tmp_path_factory.mktemp("labels")
    run, path = folder / "run", folder / "labels.jsonl"
    sitegrove("run", *CRAWL, "--out", run, "--sinks", "jsonl", "--quiet")
    sitegrove("labels", "export", run, "--below", "1.1", "--out", path, "--quiet")
    return path


def choose_content(task):
    """Every third item is content."""
    return {str(number): "main" if number % 3 == 0 else "other" for number in range(1, len(task["items"]) + 1)}


def test_blocks_and_content_are_those_of_the_packages(labels):
    tasks = read_lines(labels)
    assert len(tasks) > 5
    for task in tasks:
        html, items = task["html"], TextReader(task["html"]).items
        assert [f'_item_id="{number}"' in block for number, block in enumerate(extract_blocks(html), 1)] == [True] * len(task["items"])
        answer = choose_content(task)
        wanted = [word for number, label in answer.items() if label == "main" for word in items.get(number, [])]
        for extract in (extract_main_html, extract_by_pulpie):
            assert TextReader(extract(html, answer)).words == wanted, task["url"]


@pytest.mark.parametrize(
    "write", [json.dumps, lambda answer: "".join(map("".join, answer.items())), lambda answer: f"Here it is:\n```json\n{json.dumps(answer)}\n```"]
)
def test_answers_are_read_as_the_package_reads_them(write, labels, sitegrove, tmp_path):
    answers, out = tmp_path / "answers.jsonl", tmp_path / "corrections.jsonl"
    tasks = read_lines(labels)
    with answers.open("w") as file:
        for task in tasks:
            response = write(choose_content(task))
            assert parse_llm_response(response) == choose_content(task)
            file.write(json.dumps({"url": task["url"], "answer": response}) + "\n")
    sitegrove("labels", "import", labels, "--answers", answers, "--by", "model", "--out", out, "--quiet")
    corrections = {line["url"]: line["blocks"] for line in read_lines(out)}
    assert corrections.keys() == {task["url"] for task in tasks}
    for task in tasks:
        content = {block["xpath"] for block in corrections[task["url"]] if block["mark"] == "content"}
        wanted = {item["xpath"] for number, item in enumerate(task["items"], 1) if number % 3 == 0}
        assert content == wanted, task["url"]
