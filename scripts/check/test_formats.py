"""docs/FORMATS.md describes the files of a run folder: every field is in its tables, in its order and with its type; every field
of the tables that is not optional is in the files; the reasons of drops are those of crates/model/src/discard.rs."""
import csv
import json
import re

import pytest
from conftest import ROOT, read_lines

KIND = {bool: "boolean", str: "string", int: "integer", float: "number", dict: "object", list: "array", type(None): "null"}
MAP = {"object of integers": {"integer"}, "object of numbers": {"integer", "number"}, "object of objects": {"object"}}


def tables(text):
    """The tables of the document, by section (named by the code in its heading) and first column."""
    found = {}
    for section in re.split(r"^## ", text, flags=re.M)[1:]:
        lines = section.split("\n")
        name, column = lines[0].strip("`"), None
        for line in lines:
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if line.startswith("| `"):
                found.setdefault((name, column), []).append([cells[0].strip("`"), *cells[1:]])
            elif line.startswith("| "):
                column = cells[0]
    return found


class Fields:
    """The documented fields of one kind of file, and the fields found in it."""

    def __init__(self, name, rows, problems):
        self.name, self.problems, self.seen = name, problems, set()
        self.types = {row[0]: row[1] for row in rows}
        self.order = {field: i for i, field in enumerate(self.types)}

    def complain(self, what):
        if (said := f"{self.name}: {what}") not in self.problems:
            self.problems.append(said)

    def check(self, value, path):
        if path:
            self.seen.add(path)
            if path not in self.types:
                return self.complain(f"{path} is not documented")
            wanted = self.types[path].removesuffix(", optional")
            if wanted in MAP:
                if not isinstance(value, dict) or not {KIND[type(v)] for v in value.values()} <= MAP[wanted]:
                    self.complain(f"{path} is no {wanted}")
                return
            choices = {w.split(" of ")[0] for w in wanted.split(" or ")}
            kind = KIND[type(value)]
            if kind not in choices and not (kind == "integer" and "number" in choices):
                return self.complain(f"{path} is documented as {wanted}, but there is {kind}")
            if kind == "array":
                of = wanted.split(" of ")[1].split(" or ")[0]
                if any(KIND[type(v)] != of for v in value):
                    return self.complain(f"{path} is no {wanted}")
        if isinstance(value, dict):
            prefix = f"{path}." if path else ""
            keys = [prefix + key for key in value]
            known = [self.order[k] for k in keys if k in self.order]
            if known != sorted(known):
                self.complain(f"the fields of {path or 'the record'} come in another order")
            needed = [f for f, t in self.types.items() if "optional" not in t and f.rpartition(".")[0] == path]
            for field in set(needed) - set(keys):
                self.complain(f"{field} is missing, and not documented as optional")
            for key, inner in value.items():
                self.check(inner, prefix + key)
        elif isinstance(value, list):
            for inner in value:
                if isinstance(inner, dict):
                    self.check_element(inner, path)

    def check_element(self, value, path):
        self.seen.add(path + "[]")
        self.types.setdefault(path + "[]", "object, optional")
        self.check(value, path + "[]")


def documents_in(*paths):
    """The JSON documents in files, or in the files of folders."""
    files = [file for path in paths for file in (sorted(path.glob("*.json")) if path.is_dir() else [path])]
    return [own for file in files for own in (read_lines(file) if file.suffix == ".jsonl" else [json.loads(file.read_bytes())])]


@pytest.mark.gate
def test_formats(run, sitegrove, inputs, tmp_path, problems):
    documented = tables((ROOT / "docs/FORMATS.md").read_text(encoding="utf-8"))
    files = {name: run / name for name in ("articles.jsonl", "dropped.jsonl", "report/sites.jsonl", "ledger.json", "health.jsonl", "comparison.json")}
    # Only engines that rank patterns write them.
    sitegrove("run", *inputs, "--out", tmp_path / "ranked", "--engine", "forest", "--quiet")
    files = {name: [path] for name, path in files.items() if path.exists() or name not in ("health.jsonl", "comparison.json")}
    files["wrappers/SITE.json"] = [run / "wrappers", tmp_path / "ranked/wrappers"]
    checked = 0
    for name, paths in files.items():
        records, fields = documents_in(*paths), Fields(name, documented[name, "field"], problems)
        checked += len(fields.types)
        for record in records:
            fields.check(record, "")
        for field, kind in fields.types.items():
            above = [field[:at].removesuffix("[]") for at, letter in enumerate(field) if letter == "."]
            is_inside_absent = any(of not in fields.seen and "optional" in fields.types.get(of, "") for of in above)
            if records and field not in fields.seen and "optional" not in kind and not is_inside_absent:
                fields.complain(f"{field} is documented, but nowhere in the files")
    header = next(csv.reader((run / "articles.csv").open(encoding="utf-8", newline="")))
    if header != [row[0] for row in documented["articles.csv", "column"]]:
        problems.append(f"articles.csv: the columns are {', '.join(header)}")
    reasons = re.findall(r'=> "([a-z0-9-]+)",', (ROOT / "crates/model/src/discard.rs").read_text().split("reasons! {")[1])
    if reasons != [row[0] for row in documented["dropped.jsonl", "reason"]]:
        problems.append("dropped.jsonl: the table of reasons differs from crates/model/src/discard.rs")
    print(f"formats: {checked + len(header)} fields and {len(reasons)} reasons compared with docs/FORMATS.md")
