"""Reports of runs and pages of `sitegrove inspect` in headless Chromium, light and dark, wide and 400 pixels wide.

Such a page is not wider than its window, has sufficient contrast (WCAG 2.2, 1.4.3), requests nothing but itself, contains no
script but its own, no form and no handler, is not refused its own style by its own policy, and logs nothing. The table of a report
is that of `report/sites.jsonl`: sorted by each column in both directions, searched, and without scripts; all can be done by keyboard.
"""
import json
import time
from contextlib import contextmanager
from urllib.parse import unquote, urlparse
from pathlib import Path

import pytest
import small_crawl
from conftest import ROOT, read_lines

pytestmark = pytest.mark.gate
VIEWS = [(width, scheme) for width in (1200, 400) for scheme in ("light", "dark")]
ROWS_SHOWN = 100
CONTRAST = """(selector) => {
  const problems = [];
  const luminance = (colour) => colour.match(/[\\d.]+/g).slice(0, 3)
    .map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, at) => sum + c * [0.2126, 0.7152, 0.0722][at], 0);
  const behind = (element) => {
    for (; element; element = element.parentElement) {
      const colour = getComputedStyle(element).backgroundColor;
      if (!/, 0\\)$/.test(colour)) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const seen = new Set();
  for (const element of document.querySelectorAll(selector)) {
    const style = getComputedStyle(element);
    const colours = [element.namespaceURI.endsWith("svg") ? style.fill : style.color, behind(element)];
    const [a, b] = colours.map(luminance);
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const what = `${element.localName}.${element.getAttribute("class") ?? ""}`;
    if (contrast < 4.5 && !seen.has(what)) problems.push(`${what}: contrast ${contrast.toFixed(1)} of ${colours}`);
    seen.add(what);
  }
  return problems;
}"""
# Takes the elements that must not be in the page, the number of its scripts, and the addresses of links without a `rel`.
PROBE = """([forbidden, scripts, links]) => {
  const problems = [];
  const wide = document.documentElement.scrollWidth;
  if (wide > innerWidth) problems.push(`${wide} pixels wide in a window of ${innerWidth}`);
  for (const element of document.querySelectorAll("*")) {
    const name = element.localName;
    if (forbidden.split(" ").includes(name)) problems.push(`<${name}> in the page`);
    for (const {name: attribute, value} of element.attributes) {
      if (/^(on|style$|src)/.test(attribute)) problems.push(`${attribute} on <${name}>`);
      const outside = element.rel === "noopener noreferrer" && /^https?:\\/\\//.test(value);
      if (attribute === "href" && !outside && !new RegExp(links).test(value)) problems.push(`a link to ${value}`);
    }
  }
  if (document.scripts.length !== scripts) problems.push(`${document.scripts.length} scripts`);
  if (getComputedStyle(document.body).maxWidth === "none") problems.push("its style was refused");
  if (scripts && !("ready" in document.documentElement.dataset)) problems.push("its script did not run to its end");
  for (const chart of document.querySelectorAll("svg.chart")) {
    const room = chart.getBoundingClientRect();
    for (const text of chart.querySelectorAll("text")) {
      const own = text.getBoundingClientRect();
      if (own.left < room.left - 1 || own.right > room.right + 1 || own.bottom > room.bottom + 1)
        problems.push(`${text.textContent} leaves the chart`);
    }
    const ids = ["aria-labelledby", "aria-describedby"].map((name) => chart.getAttribute(name));
    if (!ids.every((id) => document.getElementById(id)?.textContent)) problems.push("a chart without title or text");
  }
  return problems;
}"""
ANYWHERE = "iframe object embed form img base template"
REPORT = f"{ANYWHERE} foreignObject image use", 2, r"^(sites\/[\w.%-]+\.html|#sites)$"
REPORT_TEXTS = "h1, h2, p, dt, dd, td, th, small, a, b, summary, button, label, code, svg.chart text"
INSPECTION = f"{ANYWHERE} link svg math", 2, r"^(https?:\/\/|#)"
INSPECTION_TEXTS = "p, dt, dd, td, th, small, a, summary, em, i, code"
TABLE = """() => [...document.querySelectorAll("#table tbody tr")].map((row) => [...row.cells].map((cell) =>
  cell.querySelector("bdi, span")?.textContent ?? cell.textContent))"""
SORTED = """() => [...document.querySelectorAll("#table thead th")].map((head) => head.ariaSort)"""
PRESS = """(selector) => {
  const begun = performance.now();
  document.querySelector(selector).click();
  document.body.getBoundingClientRect();
  return performance.now() - begun;
}"""
FIND = """([text, only]) => {
  const begun = performance.now();
  const [find, select] = [document.getElementById("find"), document.getElementById("only")];
  [find.value, select.value] = [text, only];
  find.dispatchEvent(new Event("input"));
  document.body.getBoundingClientRect();
  return [document.getElementById("found").textContent, performance.now() - begun];
}"""
USABLE = """() => performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd"""
SMALL_TABLES = """() => {
  const problems = [];
  for (const table of document.querySelectorAll("table.sortable")) {
    const by = (row, at) => row.cells[at].dataset.by ?? row.cells[at].textContent;
    const before = [...table.tBodies[0].rows].map((row) => row.textContent).sort().join();
    [...table.tHead.rows[0].cells].forEach((head, at) => {
      for (const way of [0, 1]) {
        head.querySelector("button").click();
        const values = [...table.tBodies[0].rows].map((row) => by(row, at)).filter((value) => value !== "–");
        const numbers = values.every((value) => value !== "" && !Number.isNaN(Number(value)));
        const keys = values.map((value) => (numbers ? Number(value) : value.toLowerCase()));
        const sign = head.ariaSort === "ascending" ? 1 : -1;
        if (keys.some((key, n) => n > 0 && (key < keys[n - 1] ? -1 : key > keys[n - 1] ? 1 : 0) === -sign))
          problems.push(`${table.parentElement.ariaLabel}, column ${at + 1}: not sorted ${head.ariaSort}`);
      }
    });
    const fold = table.parentElement.nextElementSibling;
    if (fold?.matches("button.fold:not([hidden])")) {
      if ([...table.tBodies[0].rows].filter((row) => row.checkVisibility()).length !== Number(table.dataset.open))
        problems.push("folded rows are shown");
      fold.click();
    }
    if ([...table.tBodies[0].rows].some((row) => !row.checkVisibility())) problems.push("rows stay folded");
    if ([...table.tBodies[0].rows].map((row) => row.textContent).sort().join() !== before) problems.push("rows were lost");
  }
  return problems;
}"""
FOCUS = """() => {
  const {outlineStyle, outlineWidth} = getComputedStyle(document.activeElement);
  const name = document.activeElement.localName;
  return [name, document.activeElement.textContent, outlineStyle !== "none" && parseFloat(outlineWidth) > 0];
}"""


@contextmanager
def opened(chromium, path, problems, width=1200, scheme="light", **options):
    """A file in a window of this width and colour scheme. What it logs and requests are problems."""
    size, address, found = {"width": width, "height": 1400}, path.resolve().as_uri(), []
    with chromium.new_context(viewport=size, color_scheme=scheme, **options) as context:
        page = context.new_page()
        page.on("console", lambda message: found.append(message.text))
        page.on("pageerror", lambda error: found.append(str(error)))
        page.on("request", lambda request: request.url != address and found.append(f"asks for {request.url}"))
        page.goto(address)
        yield page, found
    problems += [f"{path.name}, {width} pixels, {scheme}: {problem}" for problem in found[:8]]


def look(page, probe, texts):
    return page.evaluate(PROBE, probe) + page.evaluate(CONTRAST, texts)


def save_screenshot(page, folder, name):
    if folder:
        page.screenshot(path=folder / f"{name}.png", full_page=True)


def test_inspect(request, chromium, option, problems, tmp_path):
    pages = option.pages
    if not pages:
        run, sitegrove = request.getfixturevalue("run"), request.getfixturevalue("sitegrove")
        pages = [tmp_path / "inspection.html"]
        sitegrove("inspect", run, "harbour-gazette.example", "--out", pages[0])
    for path in pages:
        for width, scheme in VIEWS:
            with opened(chromium, path, problems, width, scheme) as (page, found):
                found += look(page, INSPECTION, INSPECTION_TEXTS)
                save_screenshot(page, option.screenshots, f"{path.stem}-{width}-{scheme}")


def test_corrections(run, chromium, sitegrove, problems, tmp_path):
    path, saved, again = tmp_path / "inspection.html", tmp_path / "corrections.jsonl", tmp_path / "again"
    sitegrove("inspect", run, "harbour-gazette.example", "--out", path)
    with opened(chromium, path, problems, java_script_enabled=False) as (page, found):
        if page.locator(".correct").count():
            found.append("tools without a script")
    with opened(chromium, path, problems, accept_downloads=True) as (page, found):
        blocks = page.locator("details.page[open] .kept[data-block]")
        blocks.nth(1).click()
        if page.locator("[data-mark]").count():
            found.append("a block is marked before the mode is on")
        page.get_by_role("button", name="Correct", exact=True).click()
        page.get_by_role("button", name="not content (n)").click()
        blocks.nth(1).click()
        blocks.nth(1).press("c")
        if blocks.nth(1).get_attribute("data-mark") != "content":
            found.append("a letter does not mark")
        if "1 marked" not in page.get_by_role("status").text_content():
            found.append("the mark is not announced")
        of_pattern = page.evaluate("""() => {
          const pages = JSON.parse(document.getElementById("markable").textContent);
          const pattern = (element) => { const [page, at] = element.dataset.block.split(" "); return pages[page].blocks[at][4]; };
          const marked = document.querySelector("[data-mark]");
          const all = [...marked.closest("section").querySelectorAll("[data-block]")];
          return all.every((other) => other === marked || (pattern(other) === pattern(marked)) === ("follows" in other.dataset));
        }""")
        if not of_pattern:
            found.append("others follow than those with the pattern")
        blocks.nth(1).press("ArrowDown")
        if page.evaluate("document.activeElement.matches('[data-mark]') || !document.activeElement.matches('[data-block]')"):
            found.append("the arrow does not lead to the next block")
        page.keyboard.press("n")
        page.keyboard.press("x")
        if page.locator("[data-mark]").count() != 1:
            found.append("a mark is not taken back")
        found += look(page, INSPECTION, f"{INSPECTION_TEXTS}, b, button, label, output")
        page.get_by_label("Your name").fill("Jane")
        with page.expect_download() as download:
            page.get_by_role("button", name="Save corrections.jsonl").click()
        download.value.save_as(saved)
    (line,) = read_lines(saved)
    marks = [block["mark"] for block in line["blocks"]]
    if (line["by"], marks) != ("Jane", ["content"]):
        problems.append(f"saved {line}")
    sitegrove("run", ROOT / "data/crawl", "--corrections", saved, "--out", again, "--quiet")
    unmatched = json.loads((again / "ledger.json").read_text())["counts"]["corrections_unmatched"]
    if unmatched:
        problems.append("what was saved matches nothing")


def round_half_up(value, digits=0):
    return int(value * 10**digits + 0.5) / 10**digits


def plain(text):
    """Characters that change the direction of text are named, those that only mark a direction are left out."""
    turns = {code: f"⟨U+{code:04X}⟩" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}
    return text.translate(turns | dict.fromkeys((0x200E, 0x200F, 0x61C)))


class Expected:
    """The expected contents of the table, from `report/sites.jsonl`."""

    def __init__(self, run):
        self.rows = [{**row, "site": plain(row["site"])} for row in read_lines(run / "report/sites.jsonl")]

    @staticmethod
    def keys(row):
        """What each column is sorted by."""
        characters, best = row["characters"], row["best"]
        of, kept = characters["pages"], characters["kept"]
        boilerplate = round_half_up((of - kept) / of, 3) if of else None
        drops, learnt_from = sum(row["drops"].values()), best and best["learnt_from"]
        return [
            row["site"], row["articles"], row["confidence"], row["doubtful"], boilerplate, row["pages"], drops, row["layouts"], learnt_from
        ]

    def cells(self, row):
        site, articles, confidence, doubtful, boilerplate, pages, drops, layouts, learnt_from = self.keys(row)
        support, best = "–", row["best"]
        if best:
            support = f"{learnt_from} page" + "s" * (learnt_from != 1)
            support += f", {best['held_back_agreeing']} of {best['held_back']}" if best["held_back"] else ""
        shown = "–" if confidence is None else f"{round_half_up(confidence, 2):.2f}"
        share = "–" if boilerplate is None else f"{round_half_up(boilerplate * 100):.0f} %"
        return [site, f"{articles:,}", shown, f"{doubtful:,}", share, f"{pages:,}", f"{drops:,}", f"{layouts:,}", support]

    def sorted(self, column=1, is_ascending=False):
        """All rows, those without a value last; ties are sorted by articles, then by name."""
        rows = sorted(self.rows, key=lambda row: (-row["articles"], row["site"]))
        known = [row for row in rows if self.keys(row)[column] is not None]
        known.sort(key=lambda row: self.keys(row)[column], reverse=not is_ascending)
        return known + [row for row in rows if self.keys(row)[column] is None]

    def differences(self, page, what, rows, first=0):
        """How the shown rows differ from these, from the first on."""
        wanted, shown = [self.cells(row) for row in rows[first : first + ROWS_SHOWN]], page.evaluate(TABLE)
        for at, (row, own) in enumerate(zip(wanted, shown)):
            if row != own:
                return [f"{what}: row {at + 1} is {own}, not {row}"]
        return [] if len(wanted) == len(shown) else [f"{what}: {len(shown)} rows, not {len(wanted)}"]


def use_table(page, expected, times):
    """Problems when the table is sorted, turned and searched."""
    problems = expected.differences(page, "at first", expected.sorted())
    for column in range(9):
        for is_ascending in (column == 0, column != 0):
            took = page.evaluate(PRESS, f"#table thead th:nth-child({column + 1}) button")
            times["sort"] = max(times.get("sort", 0), took)
            rows = expected.sorted(column, is_ascending)
            problems += expected.differences(page, f"column {column + 1}, ascending {is_ascending}", rows)
            marks = [None] * 9
            marks[column] = "ascending" if is_ascending else "descending"
            if page.evaluate(SORTED) != marks:
                problems.append(f"aria-sort is {page.evaluate(SORTED)} after column {column + 1}")
    page.evaluate(PRESS, "#table thead th:nth-child(2) button")
    if len(expected.rows) > ROWS_SHOWN:
        last = (len(expected.rows) - 1) // ROWS_SHOWN * ROWS_SHOWN
        for button, first in ((3, ROWS_SHOWN), (4, last)):
            page.evaluate(PRESS, f"#turn button:nth-of-type({button})")
            problems += expected.differences(page, f"rows from {first} on", expected.sorted(), first)
    part = expected.rows[len(expected.rows) // 2]["site"][1:7].lower()
    for text, only, test in [
        (part.upper(), "all", lambda row: part in row["site"].lower()),
        ("", "alone", lambda row: not row["best"]),
        ("", "doubtful", lambda row: row["doubtful"] > 0),
        ("", "empty", lambda row: row["articles"] == 0),
        ("no such site", "all", lambda row: False),
    ]:
        said, took = page.evaluate(FIND, [text, only])
        times["search"] = max(times.get("search", 0), took)
        wanted = [row for row in expected.sorted() if test(row)]
        problems += expected.differences(page, f"{text!r}, {only}", wanted)
        if len(wanted) < len(expected.rows) and not said.startswith(f"{len(wanted):,} of "):
            problems.append(f"{text!r}, {only}: says {said!r}, not {len(wanted)}")
    page.evaluate(FIND, ["", "all"])
    return problems + page.evaluate(SMALL_TABLES)


def use_keyboard(page):
    """From the top with the tab key to the first heading of the table, and through it with the return key."""
    problems = []
    page.evaluate("() => { document.activeElement.blur(); scrollTo(0, 0); }")
    for _ in range(400):
        page.keyboard.press("Tab")
        *focus, is_visible = page.evaluate(FOCUS)
        if not is_visible:
            problems.append(f"the focus on {focus} cannot be seen")
        if focus == ["button", "Site"]:
            break
    else:
        problems.append("the tab key never comes to the headings of the table")
    page.keyboard.press("Enter")
    if page.evaluate(SORTED)[0] != "ascending":
        problems.append("the return key did not sort")
    if page.evaluate("() => document.activeElement.textContent") != "Site":
        problems.append("sorting moved the focus")
    return problems


def dead_links(page, path):
    hrefs = page.evaluate("""() => [...document.links].map((link) => link.href).filter((href) => href.startsWith("file:"))""")
    pages = json.loads(page.locator("#rows").text_content())
    dead = [href for href in hrefs if not Path(unquote(urlparse(href).path)).is_file()]
    dead += [row[1] for row in pages if row[1] and not (path.parent / f"sites/{unquote(row[1])}.html").is_file()]
    return [f"a dead link: {link}" for link in dead]


def check_report(chromium, run, problems, screenshots):
    path, expected, times = run / "report/index.html", Expected(run), {}
    with opened(chromium, path, problems, java_script_enabled=False) as (page, found):
        found += expected.differences(page, "without script", expected.sorted()) + dead_links(page, path)
        if page.evaluate("""() => document.getElementById("controls").checkVisibility()"""):
            found.append("without script there are controls that do nothing")
    for width, scheme in VIEWS:
        with opened(chromium, path, problems, width, scheme) as (page, found):
            times["usable"] = max(times.get("usable", 0), page.evaluate(USABLE))
            found += look(page, REPORT, REPORT_TEXTS)
            save_screenshot(page, screenshots, f"{run.resolve().name}-{width}-{scheme}")
            if page.evaluate("""() => "ready" in document.documentElement.dataset"""):
                found += use_table(page, expected, times) + use_keyboard(page) + dead_links(page, path)
    took = ", ".join(f"{name} {milliseconds:.0f} ms" for name, milliseconds in times.items())
    print(f"{len(expected.rows):,} sites, {path.stat().st_size / 1e6:.2f} MB; at most: {took}")


def test_report(chromium, run, problems, option, request):
    if not option.runs:
        # Gives the report links to pages of its sites.
        request.getfixturevalue("sitegrove")("inspect", run, "--all", "--pages", "1")
    check_report(chromium, run, problems, option.screenshots)


def posts(sites):
    """Small sites of one to six posts in few layouts; of every seven, one has hardly any text, and some hardly more than links."""
    words, number = small_crawl.WORDS[:15], 0
    for site in range(sites):
        host = f"{words[site % 15]}-{words[site // 15 % 15]}-{site}.example"
        for post in range(site % 7 or 1):
            said = [words[(site * 31 + post * 17 + n * n + n) % 15] for n in range(90)]
            links = "".join(f"<li><a href=/{word}>More about {word}</a>" for word in said[:60]) if site % 7 == 0 else ""
            text = " ".join(said[: 12 if links else 90])
            html = (
                f"<!doctype html><title>{host} {post}</title><ul class=menu><li><a href=/>Home</a><li>About {host}</ul>"
                f"<div class=entry-{site % 5}><h1>Post {post}</h1><ul>{links}</ul><p>{text}.</p><p>{text[::2]}.</p></div>"
                f"<p class=foot>All rights reserved by {host}</p>"
            )
            html = f"<!doctype html><title>{host}</title><p>Soon here" if site % 14 == 7 else html
            yield small_crawl.response(f"https://{host}/{post}", html.encode(), number := number + 1)


@pytest.mark.long
def test_report_of_many_sites(chromium, sitegrove, problems, option, tmp_path):
    small_crawl.write(posts(option.sites), tmp_path / "many.warc.gz")
    # Gives some doubtful articles.
    (tmp_path / "many.toml").write_text("[extract]\ndoubtful_below = 0.9\n")
    begun = time.monotonic()
    sitegrove("run", tmp_path / "many.toml", tmp_path / "many.warc.gz", "--out", tmp_path / "many", "--quiet")
    print(f"run of {option.sites:,} sites: {time.monotonic() - begun:.1f} s")
    check_report(chromium, tmp_path / "many", problems, option.screenshots)
