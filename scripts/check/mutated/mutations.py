"""The 48 kinds of damage. Those of the first list change a record before compression, those of the second the file.

Each takes the parts, the index of the record to damage and a random generator, and returns the indices of the records that
may be lost.
"""
import random
from dataclasses import dataclass, field

from . import bases

TARGET = 4


@dataclass
class Case:
    """A damaged archive."""

    bytes: bytes
    records: list
    # Indices of the records that must be read intact.
    spared: set
    # Indices of the records that may be lost by any reader.
    excused: set = field(default_factory=set)


def says_length(record, text):
    if record.arc:
        record.head[0] = record.head[0].rsplit(b" ", 1)[0] + (b" " + text if text is not None else b"")
    elif text is None:
        del record.head[record.length()]
    else:
        record.head[record.length()] = b"Content-Length: " + text


def adds_field(record, line):
    """A field in the head; a line of junk before an ARC record, which has no fields."""
    if record.arc:
        record.before += line + b"\n"
    else:
        record.head.insert(3, line)


def length_missing(records, at, rng):
    says_length(records[at], None)


def length_a_word(records, at, rng):
    says_length(records[at], b"abc")


def length_zero(records, at, rng):
    says_length(records[at], b"0")


def length_negative(records, at, rng):
    says_length(records[at], b"-1")


def length_one_less(records, at, rng):
    says_length(records[at], b"%d" % (len(records[at].block) - 1))


def length_one_more(records, at, rng):
    says_length(records[at], b"%d" % (len(records[at].block) + 1))


def length_ten_less(records, at, rng):
    says_length(records[at], b"%d" % (len(records[at].block) - 10))


def length_a_hundred_more(records, at, rng):
    says_length(records[at], b"%d" % (len(records[at].block) + 100))


def length_over_the_next_record(records, at, rng):
    says_length(records[at], b"%d" % (len(records[at].block) + len(records[at + 1].bytes())))
    # A record that contains another looks the same: this is damage only if the next record has its own member.
    return {at, at + 1}


def length_huge(records, at, rng):
    says_length(records[at], b"99999999999")


def length_beyond_64_bits(records, at, rng):
    says_length(records[at], b"9" * 30)


def length_with_zeros(records, at, rng):
    says_length(records[at], b"000%d" % len(records[at].block))
    return set()


def length_twice(records, at, rng):
    record = records[at]
    adds_field(record, b"Content-Length: 17") if not record.arc else says_length(record, b"17 17")


def head_of_lf(records, at, rng):
    records[at].newline = b"\n"
    return set()


def head_of_doubled_returns(records, at, rng):
    records[at].newline = b"\r\r\n"


def head_without_its_end(records, at, rng):
    record = records[at]
    last = record.head.pop()
    record.block = last + (b"" if record.arc else record.newline) + record.block


def head_with_a_line_without_colon(records, at, rng):
    adds_field(records[at], b"no colon in here")
    return set()


def head_with_nul(records, at, rng):
    adds_field(records[at], b"X-Nul: a\0b\0")
    return set()


def head_with_latin_1(records, at, rng):
    adds_field(records[at], b"X-Caf\xe9: \xe9\xff\xfe")
    return set()


def head_folded(records, at, rng):
    adds_field(records[at], b"X-Folded: a\r\n  b\r\n\tc")
    return set()


def head_with_a_long_field(records, at, rng):
    adds_field(records[at], b"X-Long: " + b"x" * 300_000)
    return set()


def head_over_the_limit(records, at, rng):
    adds_field(records[at], b"X-Long: " + b"x" * 1_500_000)


def head_with_an_empty_field(records, at, rng):
    adds_field(records[at], b"X-Empty:")
    return set()


def head_with_a_space_before_the_colon(records, at, rng):
    record = records[at]
    record.head = [line.replace(b": ", b" : ", 1) for line in record.head]


def head_in_small_letters(records, at, rng):
    record = records[at]
    lower = [line if at == 0 else line.split(b":", 1)[0].lower() + b":" + line.split(b":", 1)[1] for at, line in enumerate(record.head)]
    record.head = record.head if record.arc else lower
    return set()


def version_missing(records, at, rng):
    records[at].head[0] = b"X" if records[at].arc else b""


def version_unknown(records, at, rng):
    if not records[at].arc:
        records[at].head[0] = b"WARC/9.9"
    return set()


def version_in_small_letters(records, at, rng):
    if not records[at].arc:
        records[at].head[0] = b"warc/1.0"
    return set()


def type_missing(records, at, rng):
    if not records[at].arc:
        del records[at].head[1]


def date_a_word(records, at, rng):
    record = records[at]
    if record.arc:
        url, ip, _, rest = record.head[0].split(b" ", 3)
        record.head = [b" ".join([url, ip, b"yesterday", rest])]
    else:
        record.head[3] = b"WARC-Date: yesterday"
    return set()


def tail_missing(records, at, rng):
    records[at].tail = b""
    return set()


def tail_short(records, at, rng):
    records[at].tail = records[at].newline
    return set()


def tail_long(records, at, rng):
    records[at].tail = records[at].newline * 6
    return set()


def tail_of_nul(records, at, rng):
    records[at].tail += bytes(100)
    return set()


def junk_line_before(records, at, rng):
    records[at].before = b"A line that is no record.\r\n\r\n"
    return set()


def junk_bytes_before(records, at, rng):
    records[at].before = rng.randbytes(1000) + b"\n"
    return set()


def junk_like_a_head_before(records, at, rng):
    records[at].before = b"WARC/1.0\r\nContent-Length: 50\r\n\r\n"
    return set()


def record_within_the_block(records, at, rng):
    record, inner = records[at], records[at + 1]
    html, body = record.block.split(b"\r\n\r\n", 1) if b"Encoding" not in record.block[:200] else (None, None)
    if html is not None:
        record.block = html + b"\r\n\r\n" + body.replace(b"</body>", b"<!--\r\n\r\n" + inner.bytes() + b"--></body>")
        says_length(record, b"%d" % len(record.block))
        record.known.clear()
        record.knows(record.block)
    return set()


def block_cut(records, at, rng):
    records[at].block = records[at].block[: len(records[at].block) // 2]


def block_empty(records, at, rng):
    records[at].block = b""


def record_twice(records, at, rng):
    records[at].tail += records[at].bytes()
    return set()


def http_head_broken(records, at, rng):
    record = records[at]
    record.block = b"\x00\xff NOT HTTP" + record.block[15:]
    says_length(record, b"%d" % len(record.block))


OF_RECORDS = [value for value in list(globals().values()) if callable(value) and getattr(value, "__code__", None) and value.__code__.co_varnames[:3] == ("records", "at", "rng")]


def byte_flipped(parts, at, rng):
    part = bytearray(parts[at])
    part[len(part) // 2] ^= 1 + rng.randrange(255)
    parts[at] = bytes(part)
    return {at}


def bytes_removed(parts, at, rng):
    middle = len(parts[at]) // 2
    parts[at] = parts[at][:middle] + parts[at][middle + 64 :]
    # A frame of stored blocks takes the missing bytes from the next one; without a checksum this is undetectable.
    return {at, at + 1}


def bytes_zeroed(parts, at, rng):
    middle = len(parts[at]) // 2
    parts[at] = parts[at][:middle] + bytes(64) + parts[at][middle + 64 :]
    return {at}


def bytes_between(parts, at, rng):
    parts[at] = rng.randbytes(64) + parts[at]
    # After junk without a line end, the line of an ARC record cannot be recognised.
    return {at}


def end_cut(parts, at, rng):
    parts[-1] = parts[-1][:-40]
    return {len(parts) - 1}


def beginning_cut(parts, at, rng):
    parts[0] = parts[0][10:]
    return {0}


OF_FILES = [byte_flipped, bytes_removed, bytes_zeroed, bytes_between, end_cut, beginning_cut]
MUTATIONS = OF_RECORDS + OF_FILES
assert len(MUTATIONS) == 48, len(MUTATIONS)


def mutate(mutation, base, seed):
    """A base archive with a mutation, or unchanged if the mutation is None."""
    rng = random.Random(seed)
    records = base.records("1")
    touched = excused = set()
    if mutation in OF_RECORDS:
        touched = mutation(records, TARGET, rng)
        touched = {TARGET} if touched is None else touched
        excused = {TARGET} if mutation is head_over_the_limit else set()
    whole = b"".join(record.bytes() for record in records)
    parts = [base.wrap(whole)] if base.one_member else [base.wrap(record.bytes()) for record in records]
    if mutation in OF_FILES:
        touched = mutation(parts, TARGET % len(parts), rng)
        # Damage inside the single member: only a reader can tell how far it extends.
        touched = set(range(bases.RECORDS)) if base.one_member else touched
    return Case(b"".join(parts), records, set(range(bases.RECORDS)) - touched, excused)
