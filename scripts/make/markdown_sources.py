"""Made-up technical articles with every kind of structure, in the Markdown of several programs. Standard library only.

The text of an article follows from its number alone. Code and formulas are in data/renderers/.
"""
import random
import re
from pathlib import Path

DATA = Path(__file__).resolve().parents[2] / "data/renderers"
SUBJECTS = """the scheduler|every worker|a reader of the log|the second pass|the old index|one of the two queues|the writer thread
|a slow disk|the test suite|this version|the first benchmark|a short table|the parser|the store|an empty page|the coordinator""".replace("\n", "").split("|")
VERBS = """keeps|counts|rejects|sorts|repeats|measures|ignores|replaces|compares|waits for|writes|reads back|splits|joins|hides
|reports""".replace("\n", "").split("|")
OBJECTS = """the rows that came late|all entries of the night|what the others left|a copy of the header|the smallest of them|the blocks in order
|two files at once|the names of the fields|each value once|the order of the keys|the rest of the buffer|some of the answers
|the part that failed|the numbers of the last week|the empty lines|the state on disk""".replace("\n", "").split("|")
ENDINGS = """before anything else happens|while the lock is held|in less than a second|without a second look|as the table shows
|if memory is short|on both machines|until the next restart|although nobody asked for it|because it is cheap to do so
|in the order of arrival|when the load is low|after a pause|with few exceptions|from the beginning|as far as we know""".replace("\n", "").split("|")
WORDS = """harbour lantern orchard gravel kettle winter sailor copper meadow ladder engine parcel bridge canvas thunder market pigeon saddle
timber ribbon quarry bottle pepper anchor velvet cellar walnut needle garden hammer island candle mirror button magnet pillow""".split()


def read_code():
    """Pairs of a language and a listing."""
    parts = re.split(r"^=== (\w+)\n", (DATA / "code.txt").read_text(encoding="utf-8"), flags=re.M)
    return list(zip(parts[1::2], (text.removesuffix("\n") for text in parts[2::2])))


def read_formulas():
    """Formulas in a line, and formulas on lines of their own."""
    inline, display = (DATA / "formulas.txt").read_text(encoding="utf-8").split("---\n")
    return inline.splitlines(), display.splitlines()


class Writer:
    """Writes an article, block by block, in one of the forms of Markdown.

    `form` is `plain` (markdown-it with its plugins, which is also what the gold is read from), `python` (Python-Markdown, MkDocs),
    `myst` (Sphinx) or `mdx`.
    """

    def __init__(self, number, form):
        self.chance, self.form, self.out, self.notes = random.Random(number), form, [], []
        code, (inline, display) = read_code(), read_formulas()
        # Each taken in turn, so that an article has none twice before it had all.
        self.code, self.inline, self.display = map(self.shuffle, (code, inline, display))
        self.title = self.capitalize(f"{self.pick(SUBJECTS)} {self.pick(VERBS)} {self.pick(OBJECTS)}")

    def shuffle(self, items):
        return self.chance.sample(items, len(items))

    def pick(self, items):
        return self.chance.choice(items)

    @staticmethod
    def capitalize(text):
        return text[:1].upper() + text[1:]

    def name(self):
        return self.pick(WORDS) + "_" + self.pick(WORDS)

    def phrase(self):
        return f"{self.pick(OBJECTS)} {self.pick(ENDINGS)}"

    def sentence(self, extra=""):
        return self.capitalize(f"{self.pick(SUBJECTS)} {self.pick(VERBS)} {self.pick(OBJECTS)} {extra}{self.pick(ENDINGS)}.")

    def add(self, *lines, indent=""):
        self.out += [indent + line if line else "" for line in lines] + [""]

    def add_paragraph(self, indent="", count=None, extras=()):
        sentences = [self.sentence() for _ in range(count or self.chance.randint(2, 5))]
        for extra in extras:
            sentences.insert(self.chance.randrange(1, len(sentences) + 1), self.sentence(extra))
        self.add(" ".join(sentences), indent=indent)

    def formula(self):
        self.inline.insert(0, self.inline[-1])
        return f"${self.inline.pop()}$"

    def add_prose(self, paragraphs=2):
        """Paragraphs with a formula, a name in code, a link, and words in bold."""
        for _ in range(paragraphs):
            extras = [f"(see `{self.name()}()`) ", f"where {self.formula()} holds, ", f"as [{self.pick(WORDS)} {self.pick(WORDS)}](https://notes.example/{self.name()}) says, ",
                      f"and **{self.pick(WORDS)}** not *{self.pick(WORDS)}*, "]
            self.add_paragraph(extras=self.chance.sample(extras, 2))

    def add_note(self):
        """A paragraph with a footnote."""
        label = str(len(self.notes) + 1)
        self.notes.append(f"[^{label}]: {self.sentence()}")
        self.out[-2] += f" {self.sentence()[:-1]}.[^{label}]"

    def add_heading(self, level):
        kind = self.chance.random()
        name = f" `{self.name()}`" if kind < 0.2 else f" [{self.pick(WORDS)}](https://notes.example/{self.name()})" if kind < 0.3 else ""
        self.add(f"{'#' * level} {self.capitalize(self.pick(OBJECTS))} {self.pick(ENDINGS)}{name}")

    def add_code(self, indent=""):
        language, text = self.code.pop()
        for at in "12":
            text = text.replace("WORD" + at, self.name())
        text = text.replace("WORD3", self.pick(WORDS).title())
        self.add(f"```{language}", *text.split("\n"), "```", indent=indent)

    def add_formula(self):
        self.add("$$", self.display.pop(), "$$")

    def cell(self):
        kind = self.chance.random()
        if kind < 0.3:
            return f"{self.chance.randint(1, 99_999) / 10:,}"
        if kind < 0.35:
            # A bar would end the cell.
            return f"**{self.pick(WORDS)}** " + self.formula().replace("\\|", "\\vert ")
        return f"`{self.name()}`" if kind < 0.4 else self.phrase() if kind < 0.5 else self.cell_text()

    def add_table(self):
        columns = self.chance.randint(2, 5)
        rule = [self.pick(["---", ":--", "--:", ":-:"]) for _ in range(columns)]
        rows = [[self.cell() for _ in range(columns)] for _ in range(self.chance.randint(2, 6))]
        rows[0][-1] = ""
        head = [self.pick(WORDS).title() for _ in range(columns)]
        self.add(*(f"| {' | '.join(row)} |" for row in [head, rule, *rows]))

    def add_spanning_table(self):
        """Written as HTML: cells of a header and of a row that span others."""
        words = [self.pick(WORDS) for _ in range(11)]
        rows = '<tr><th rowspan="2">{}</th><th colspan="2">{}</th></tr>\n<tr><th>{}</th><th>{}</th></tr>'
        body = '<tr><th rowspan="2">{}</th><td>{}</td><td>{}</td></tr>\n<tr><td>{}</td><td>{}</td></tr>\n<tr><td>{}</td><td colspan="2">{}</td></tr>'
        html = f"<table>\n<thead>\n{rows}\n</thead>\n<tbody>\n{body}\n</tbody>\n</table>".format(*words)
        if self.form == "mdx":
            html = html.replace("rowspan", "rowSpan").replace("colspan", "colSpan")
        self.add(*html.split("\n"))

    def add_list(self, depth=0, ordered=False):
        """A list, in which others are nested up to three levels. One item in six is a link, one has a formula."""
        for number in range(self.chance.randint(2, 4)):
            mark = f"{number + 1}.  " if ordered else "-   "
            text, kind = self.capitalize(self.phrase()), self.chance.random()
            if kind < 1 / 6:
                text = f"[{text}](https://notes.example/{self.name()})"
            elif kind < 1 / 3:
                text += f" `{self.name()}` or {self.formula()}"
            self.out.append("    " * depth + mark + text)
            if depth < 2 and self.chance.random() < 0.4:
                self.add_list(depth + 1, ordered=self.chance.random() < 0.5)
        if not depth:
            self.out.append("")

    def add_steps(self):
        """Items with paragraphs and code."""
        for number in range(3):
            self.add(f"{number + 1}.  {self.sentence()}")
            if number == 1:
                self.add_code(indent="    ")
            else:
                self.add_paragraph(indent="    ", count=1)

    def add_tasks(self):
        self.add(*(f"-   [{self.pick(' x')}] {self.capitalize(self.phrase())}" for _ in range(3)))

    def add_definitions(self):
        terms = [(self.pick(WORDS).title(), self.sentence()) for _ in range(3)]
        if self.form == "mdx":
            return self.add("<dl>", *(f"<dt>{term}</dt>\n<dd>{text}</dd>" for term, text in terms), "</dl>")
        for term, text in terms:
            self.add(term, f":   {text}")

    def add_admonition(self):
        """A box with a paragraph, and a list or a listing."""
        kind = self.pick(["note", "warning", "tip"])
        head, indent, end = {"python": (f"!!! {kind}", "    ", []), "myst": (f":::{{{kind}}}", "", [":::"])}.get(self.form, (f":::{kind}", "", [":::"]))
        self.add(head)
        self.add_paragraph(indent=indent, count=2)
        if self.chance.random() < 0.5:
            self.add_code(indent=indent)
        else:
            self.add(*(f"-   {self.capitalize(self.phrase())}" for _ in range(3)), indent=indent)
        if end:
            self.add(*end)

    def add_plain_table(self):
        """Written as HTML: with a caption and heads of rows, and without a head."""
        rows = [(self.pick(WORDS).title(), self.cell_text(), self.cell_text()) for _ in range(3)]
        lines = [f'<tr><th scope="row">{head}</th><td>{first}</td><td>{second}</td></tr>' for head, first, second in rows]
        self.add("<table>", f"<caption>{self.capitalize(self.phrase())}</caption>", "<tbody>", *lines, "</tbody>", "</table>")

    def cell_text(self):
        return self.pick(WORDS) + " " + self.pick(WORDS)

    def add_quote(self):
        """A quotation with a list."""
        self.add(*(f"> {line}".rstrip() for line in (self.sentence(), "", f"-   {self.capitalize(self.phrase())}", f"-   {self.capitalize(self.phrase())}")))

    def write(self):
        """The Markdown, without the title."""
        self.add_prose(1)
        self.add_note()
        parts = [self.add_code, self.add_code, self.add_code, self.add_formula, self.add_formula, self.add_table, self.add_table, self.add_list,
                 lambda: self.add_list(ordered=True), self.add_tasks, self.add_steps, self.add_definitions, self.add_admonition, self.add_quote,
                 self.add_spanning_table, self.add_plain_table, self.add_formula]
        level = 2
        for number, part in enumerate(self.shuffle(parts)):
            if number % 2 == 0:
                level = self.pick([2, min(level + 1, 4)]) if number else 2
                self.add_heading(level)
            self.add_prose(1)
            if number in (3, 7):
                self.add_note()
            part()
        self.add_prose(1)
        self.add(*self.notes)
        return "\n".join(self.out)


def write_article(number, form):
    """The title and the Markdown of an article."""
    writer = Writer(number, form)
    return writer.title, writer.write()
