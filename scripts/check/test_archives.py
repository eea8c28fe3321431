"""The WARC of articles and its index, read by warcio and made again by cdxj-indexer; and WACZ files made by py-wacz.

warcio finds every digest correct, one gzip member per record, and a warcinfo record first. articles.jsonl can be rebuilt from the
metadata and conversion records, every article is found through articles.cdxj, and that is, byte for byte, the output of cdxj-indexer.
A WACZ file of the sample crawl gives the articles of its archives, and a page extracted by its address needs nothing but its own site's
records: all others are overwritten in a copy.
"""
import io
import json
import random
import subprocess
import sys
import zipfile
from pathlib import Path
from urllib.parse import urlsplit

from cdxj_indexer.main import CDXJIndexer
from conftest import CRAWL, read_lines, without_origin
from wacz.main import main as make_wacz
from warcio.archiveiterator import ArchiveIterator

# Pages that are extracted by their addresses.
EXTRACTED = 24
WITHOUT_DATE = "1970-01-01T00:00:00Z"


def read_records(stream):
    """Each record of an archive with its block and position."""
    records = ArchiveIterator(stream, check_digests=True)
    for record in records:
        block = record.content_stream().read()
        yield record, block, records.get_record_offset(), records.get_record_length()


def strip_page(page):
    """What is between the tags of the body."""
    return page.partition("<body>")[2].removesuffix("</body>\n</html>\n")


def read_whole(path, problems):
    """The lengths of records by position, and articles rebuilt from pairs of metadata and conversion records."""
    lengths, metadata, blocks = {}, [], {}
    with open(path, "rb") as stream:
        for number, (record, block, offset, length) in enumerate(read_records(stream)):
            lengths[offset] = length
            if record.digest_checker.passed is not True:
                problems.append(f"record {number} at {offset}: digests: {record.digest_checker.problems or 'none'}")
            if record.rec_type != (("metadata", "conversion")[number % 2] if number else "warcinfo"):
                problems.append(f"record {number} at {offset} is a {record.rec_type}")
            if record.rec_type == "metadata":
                metadata.append((json.loads(block), record.rec_headers.get_header("WARC-Refers-To")))
            elif number:
                blocks[record.rec_headers.get_header("WARC-Record-ID")] = block.decode()
    for fields, refers_to in metadata:
        block = blocks.get(refers_to, "")
        fields |= {"text": block} if not fields["text"] else {"html": strip_page(block)}
    return lengths, [fields for fields, _ in metadata]


def compare_with_record(article, record, block, entry, time):
    """How an article differs from the record to which its line of the index leads."""
    own, is_html, header = block.decode(), entry["mime"] == "text/html", record.rec_headers.get_header
    date = article["fetched"] or WITHOUT_DATE
    return [
        what
        for what, differs in {
            "block": (strip_page(own) if is_html else own) != (article["html"] if is_html else article["text"]),
            "type": header("Content-Type") != f"{entry['mime']}; charset=utf-8",
            "address": header("WARC-Target-URI") != article["url"],
            "date": header("WARC-Date") != date or time != "".join(filter(str.isdigit, date.split(".")[0])),
            "digest": record.digest_checker.passed is not True or header("WARC-Payload-Digest") != entry["digest"],
        }.items()
        if differs
    ]


def test_warc(run, articles, problems):
    path, index, entries = run / "articles.warc.gz", (run / "articles.cdxj").read_bytes(), {}
    lengths, rebuilt = read_whole(path, problems)
    if len(lengths) != 2 * len(articles) + 1:
        problems.append(f"{len(articles)} articles, but {len(lengths)} records")
    problems += [f"{article['url']}: its records differ" for article, own in zip(articles, rebuilt) if article != own]
    with open(path, "rb") as stream:
        for line in index.decode().splitlines():
            _, time, entry = line.split(" ", 2)
            entry = json.loads(entry)
            offset = int(entry["offset"])
            if lengths.get(offset) != int(entry["length"]):
                problems.append(f"the index names {entry['length']} bytes at {offset}, where no record is")
                continue
            stream.seek(offset)
            record, block, _, _ = next(read_records(stream))
            entries[entry["url"], record.rec_headers.get_header("WARC-Refers-To")] = record, block, entry, time
    for article in articles:
        name = article["origin"].get("record_id")
        found = entries.get((article["url"], f"<{name}>" if name else None))
        wrong = compare_with_record(article, *found) if found else ["not in the index"]
        problems += [f"{article['url']}: {what}" for what in wrong]
    programs = Path(sys.executable).parent
    assert subprocess.run([programs / "warcio", "check", path]).returncode == 0
    command = [programs / "cdxj-indexer", "--sort", "--records", "conversion", path]
    assert index == subprocess.run(command, check=True, capture_output=True).stdout


def overwrite_other_sites(wacz, copy, site):
    """Copies a WACZ file and overwrites all records of other sites."""
    data = bytearray(wacz.read_bytes())
    with zipfile.ZipFile(wacz) as file:
        for member in file.infolist():
            if not member.filename.startswith("archive/"):
                continue
            # The name and the extra field of the local header come before the contents.
            sizes = [int.from_bytes(data[member.header_offset + at : member.header_offset + at + 2], "little") for at in (26, 28)]
            start, lines = member.header_offset + 30 + sum(sizes), io.StringIO()
            archive = Path(file.extract(member, copy.parent / "members"))
            CDXJIndexer(output=lines, inputs=[str(archive)], post_append=True).process_all()
            kept = bytearray(member.file_size)
            for line in lines.getvalue().splitlines():
                entry = json.loads(line[line.index("{") :])
                host = urlsplit(entry.get("url", "")).hostname or ""
                if host == site or host.endswith("." + site):
                    offset, length = int(entry["offset"]), int(entry["length"])
                    kept[offset : offset + length] = data[start + offset : start + offset + length]
            data[start : start + member.file_size] = kept
    copy.write_bytes(data)


def test_wacz(sitegrove, problems, tmp_path):
    def read_articles(out, *inputs):
        sitegrove("run", *inputs, "--out", out, "--quiet")
        return without_origin(read_lines(out / "articles.jsonl"))

    def extract(url, *inputs):
        done = sitegrove("extract", *inputs, "--url", url, "--format", "json", "-v", codes=(0, 1))
        return without_origin(map(json.loads, done.stdout.splitlines())), done.stderr

    own, packed, copy = read_articles(tmp_path / "own", *CRAWL), tmp_path / "crawl.wacz", tmp_path / "copy.wacz"
    header = {"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}
    pages = [header, *({"url": article["url"], "title": article["title"] or "", "ts": article["fetched"]} for article in own)]
    (tmp_path / "pages.jsonl").write_text("".join(json.dumps(page) + "\n" for page in pages), encoding="utf-8")
    make_wacz(["create", "--output", str(packed), "--pages", str(tmp_path / "pages.jsonl"), *map(str, CRAWL)])
    with zipfile.ZipFile(packed) as file:
        assert {"pages/pages.jsonl", "indexes/index.idx"} <= set(file.namelist())
    assert read_articles(tmp_path / "packed", packed) == own
    for article in random.Random(1).sample(own, min(EXTRACTED, len(own))):
        expected, _ = extract(article["url"], *CRAWL)
        overwrite_other_sites(packed, copy, article["site"])
        for path in (packed, copy):
            found, said = extract(article["url"], path)
            if found != expected or "in its index" not in said:
                problems.append(f"{article['url']} in {path.name}: another article, or not found by the index\n{said}")
