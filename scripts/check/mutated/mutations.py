"""The 48 kinds of damage: to a record before compression, or to the file."""
import random
from dataclasses import dataclass, field

from . import bases

TARGET = 4
EVERY = set(range(bases.RECORDS))


@dataclass
class Case:
    """A damaged archive."""

    bytes: bytes
    records: list
    # Indices of the records that must be read intact.
    spared: set
    # Indices of the records that may be lost by any reader.
    excused: set = field(default_factory=set)


def set_length(record, text):
    if record.arc:
        record.head[0] = record.head[0].rsplit(b" ", 1)[0] + (b" " + text if text is not None else b"")
    elif text is None:
        del record.head[record.length()]
    else:
        record.head[record.length()] = b"Content-Length: " + text


def set_length_to(more=0, form=b"%d"):
    return lambda record, _, rng: set_length(record, form % (len(record.block) + more))


def set_length_over_the_next(record, following, rng):
    set_length_to(len(following.bytes()))(record, following, rng)


def set_length_twice(record, _, rng):
    set_length(record, b"17 17") if record.arc else record.head.insert(3, b"Content-Length: 17")


def add_field(line):
    """A field in the head; a line of junk before an ARC record, which has no fields."""

    def add(record, _, rng):
        if record.arc:
            record.before += line + b"\n"
        else:
            record.head.insert(3, line)

    return add


def set_part(name, value):
    """Replaces a part of the record, by a function of the record and the generator."""
    return lambda record, _, rng: setattr(record, name, value(record, rng))


def set_line(at, warc=None, arc=None):
    """Replaces a line of the head, or of a WARC record removes it; what is None for a form is not done."""

    def replace(record, _, rng):
        line = arc if record.arc else warc
        if line is not None:
            record.head[0 if record.arc else at : (0 if record.arc else at) + 1] = [line] if line != REMOVED else []

    return replace


REMOVED = b"removed"


def cut_head_end(record, _, rng):
    last = record.head.pop()
    record.block = last + (b"" if record.arc else record.newline) + record.block


def lower_names(record, _, rng):
    if not record.arc:
        parts = [line.split(b":", 1) for line in record.head[1:]]
        record.head[1:] = [name.lower() + b":" + value for name, value in parts]


def replace_date(record, _, rng):
    if record.arc:
        url, ip, _, rest = record.head[0].split(b" ", 3)
        record.head = [b" ".join([url, ip, b"yesterday", rest])]
    else:
        record.head[3] = b"WARC-Date: yesterday"


def put_record_into_block(record, following, rng):
    if b"Encoding" not in record.block[:200]:
        html, body = record.block.split(b"\r\n\r\n", 1)
        record.block = html + b"\r\n\r\n" + body.replace(b"</body>", b"<!--\r\n\r\n" + following.bytes() + b"--></body>")
        set_length(record, b"%d" % len(record.block))
        record.known.clear()
        record.knows(record.block)


def break_http(record, _, rng):
    record.block = b"\x00\xff NOT HTTP" + record.block[15:]
    set_length(record, b"%d" % len(record.block))


TO_RECORDS = {
    "length-missing": lambda record, _, rng: set_length(record, None),
    "length-a-word": lambda record, _, rng: set_length(record, b"abc"),
    "length-zero": lambda record, _, rng: set_length(record, b"0"),
    "length-negative": lambda record, _, rng: set_length(record, b"-1"),
    "length-one-less": set_length_to(-1),
    "length-one-more": set_length_to(1),
    "length-ten-less": set_length_to(-10),
    "length-a-hundred-more": set_length_to(100),
    # A record that contains another looks the same: this is damage only if the next record has its own member.
    "length-over-the-next-record": set_length_over_the_next,
    "length-huge": lambda record, _, rng: set_length(record, b"99999999999"),
    "length-beyond-64-bits": lambda record, _, rng: set_length(record, b"9" * 30),
    "length-with-zeros": set_length_to(0, b"000%d"),
    "length-twice": set_length_twice,
    "head-of-lf": set_part("newline", lambda record, rng: b"\n"),
    "head-of-doubled-returns": set_part("newline", lambda record, rng: b"\r\r\n"),
    "head-without-its-end": cut_head_end,
    "head-with-a-line-without-colon": add_field(b"no colon in here"),
    "head-with-nul": add_field(b"X-Nul: a\0b\0"),
    "head-with-latin-1": add_field(b"X-Caf\xe9: \xe9\xff\xfe"),
    "head-folded": add_field(b"X-Folded: a\r\n  b\r\n\tc"),
    "head-with-a-long-field": add_field(b"X-Long: " + b"x" * 300_000),
    "head-over-the-limit": add_field(b"X-Long: " + b"x" * 1_500_000),
    "head-with-an-empty-field": add_field(b"X-Empty:"),
    "head-with-a-space-before-the-colon": set_part("head", lambda record, rng: [line.replace(b": ", b" : ", 1) for line in record.head]),
    "head-in-small-letters": lower_names,
    "version-missing": set_line(0, warc=b"", arc=b"X"),
    "version-unknown": set_line(0, warc=b"WARC/9.9"),
    "version-in-small-letters": set_line(0, warc=b"warc/1.0"),
    "type-missing": set_line(1, warc=REMOVED),
    "date-a-word": replace_date,
    "tail-missing": set_part("tail", lambda record, rng: b""),
    "tail-short": set_part("tail", lambda record, rng: record.newline),
    "tail-long": set_part("tail", lambda record, rng: record.newline * 6),
    "tail-of-nul": set_part("tail", lambda record, rng: record.tail + bytes(100)),
    "junk-line-before": set_part("before", lambda record, rng: b"A line that is no record.\r\n\r\n"),
    "junk-bytes-before": set_part("before", lambda record, rng: rng.randbytes(1000) + b"\n"),
    "junk-like-a-head-before": set_part("before", lambda record, rng: b"WARC/1.0\r\nContent-Length: 50\r\n\r\n"),
    "record-within-the-block": put_record_into_block,
    "block-cut": set_part("block", lambda record, rng: record.block[: len(record.block) // 2]),
    "block-empty": set_part("block", lambda record, rng: b""),
    "record-twice": set_part("tail", lambda record, rng: record.tail + record.bytes()),
    "http-head-broken": break_http,
}
# Those that leave no record that can be read: the damaged one may be lost.
FATAL = set(TO_RECORDS) - set(
    """length-with-zeros head-of-lf head-with-a-line-without-colon head-with-nul head-with-latin-1 head-folded head-with-a-long-field
    head-with-an-empty-field head-in-small-letters version-unknown version-in-small-letters date-a-word tail-missing tail-short tail-long
    tail-of-nul junk-line-before junk-bytes-before junk-like-a-head-before record-within-the-block record-twice""".split()
)


def flip_byte(part, rng):
    middle = len(part) // 2
    return part[:middle] + bytes([part[middle] ^ 1 + rng.randrange(255)]) + part[middle + 1 :]


# Each changes the member of the damaged record, the last or the first one.
TO_FILES = {
    "byte-flipped": (TARGET, flip_byte),
    # A frame may take the missing bytes from the next one; without a checksum this is undetectable.
    "bytes-removed": (TARGET, lambda part, rng: part[: len(part) // 2] + part[len(part) // 2 + 64 :]),
    "bytes-zeroed": (TARGET, lambda part, rng: part[: len(part) // 2] + bytes(64) + part[len(part) // 2 + 64 :]),
    # After junk without a line end, the line of an ARC record cannot be recognised.
    "bytes-between": (TARGET, lambda part, rng: rng.randbytes(64) + part),
    "end-cut": (-1, lambda part, rng: part[:-40]),
    "beginning-cut": (0, lambda part, rng: part[10:]),
}
MUTATIONS = [*TO_RECORDS, *TO_FILES]
NEXT_TOO = {"length-over-the-next-record", "bytes-removed"}


def mutate(mutation, base, seed):
    """A base archive with a mutation, or unchanged if the mutation is None."""
    rng, records, touched = random.Random(seed), base.records("1"), set()
    if mutation in TO_RECORDS:
        TO_RECORDS[mutation](records[TARGET], records[TARGET + 1], rng)
        touched = {TARGET} if mutation in FATAL else set()
    whole = b"".join(record.bytes() for record in records)
    parts = [base.wrap(whole)] if base.one_member else [base.wrap(record.bytes()) for record in records]
    if mutation in TO_FILES:
        at, change = TO_FILES[mutation]
        at %= len(parts)
        parts[at] = change(parts[at], rng)
        # Damage inside the single member: only a reader can tell how far it extends.
        touched = EVERY if base.one_member else {at}
    touched = touched | {TARGET + 1} if mutation in NEXT_TOO else touched
    return Case(b"".join(parts), records, EVERY - touched, {TARGET} if mutation == "head-over-the-limit" else set())
