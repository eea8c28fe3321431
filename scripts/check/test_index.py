"""The search index of a run, opened by tantivy's Python package.

Every stored field of every article equals that of articles.jsonl. Every article is searched for by the words of its title, one at a
time, with the package's own query parser, which does not have our analyzers: of those that are found in some title of the language
(others are mostly stop words) and are of a script with spaces, a share of --at-least (0.99) must find their article.
"""
import datetime
import re
from collections import Counter

import tantivy
from test_tables import parse_instant

# A letter of scripts without spaces: Thai, Lao, Khmer, Myanmar, kana, Han.
UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
SAME_NAME = "site title template language_score site_name section access license word_count content_hash".split()
IF_PRESENT = "model_revision health moved_to gone_status".split()


def compare_stored(url, document, article, problems):
    def first(name):
        return (document.get(name) or [None])[0]

    wanted = {name: article[name] for name in SAME_NAME} | {name: article.get(name) for name in IF_PRESENT}
    wanted |= {"truncated": article["origin"].get("truncated")} | ({"body": article["text"]} if article["text"] else {})
    problems += [f"{url}: {name} is {first(name)!r}, not {value!r}" for name, value in wanted.items() if first(name) != value]
    if (document.get("passages") or []) != article.get("passages", []):
        problems.append(f"{url}: passages are {document.get('passages')!r}")
    if (document.get("authors") or []) != article["authors"]:
        problems.append(f"{url}: authors are {document.get('authors')!r}")
    date, said = first("published"), parse_instant(article["published"])
    if (date and date.replace(tzinfo=datetime.UTC, microsecond=0)) != (said and said.replace(microsecond=0)):
        problems.append(f"{url}: published is {date!r}, not {article['published']!r}")
    declared = (article["language"] or "").split("-")[0]
    if declared and first("language") not in (declared, "no"):
        problems.append(f"{url}: language is {first('language')!r}, not {declared!r}")


def test_index(run, articles, option, problems):
    index = tantivy.Index.open(str(run / "index"))
    # Duplicates are not indexed.
    searcher, articles = index.searcher(), {article["url"]: article for article in articles if not article.get("duplicate_of")}
    addresses = [address for _, address in searcher.search(tantivy.Query.all_query(), limit=searcher.num_docs).hits]
    stored = {(document := searcher.doc(address)).to_dict()["url"][0]: document for address in addresses}
    found = {url: document.to_dict() for url, document in stored.items()}
    assert len(addresses) == len(found) and found.keys() == articles.keys()
    for url, article in articles.items():
        compare_stored(url, found[url], article, problems)

    def search(query, field="body"):
        return {searcher.doc(a)["url"][0] for _, a in searcher.search(index.parse_query(query, [field]), limit=len(articles)).hits}

    counts, missed = Counter(), []
    for url, article in articles.items():
        for word in set(re.findall(r"\w+", article["title"] or "")):
            if UNSPACED.search(word):
                counts["unspaced"] += 1
                continue
            where = search(f'title:"{word}" AND language:"{found[url]["language"][0]}"', "title")
            counts["found" if url in where else "missed" if where else "nowhere"] += 1
            missed += [word] if where and url not in where else []
    sought = counts["found"] + counts["missed"]
    if counts["found"] < (option.at_least or 0.99) * sought:
        problems.append(f"only {counts['found']} of {sought} words find their article, not {missed[:40]}")
    for site, number in Counter(article["site"] for article in articles.values()).items():
        if (answer := len(search(f'site:"{site}"'))) != number:
            problems.append(f"site:{site} finds {answer} of {number} articles")
    dated = {url for url, article in articles.items() if (date := parse_instant(article["published"])) and date.year >= 2020}
    if (answer := search("published:[2020-01-01T00:00:00Z TO 2300-01-01T00:00:00Z]")) != dated:
        problems.append(f"{len(answer)} articles since 2020 found, not {len(dated)}")
    snippets = 0
    for url, article in list(articles.items())[:200]:
        word = next(iter(re.findall(r"[a-z]{7,}", article["text"])), None)
        if word and url in search(word):
            generator = tantivy.SnippetGenerator.create(searcher, index.parse_query(word, ["body"]), index.schema, "body")
            snippets += bool(generator.snippet_from_doc(stored[url]).highlighted())
    print(f"index: {len(found)} articles; {counts['found']} of {sought} words of titles find their article, {counts}; {snippets} snippets")
