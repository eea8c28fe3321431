"""The records a peer reads: for each file one line of JSON, a list of [address, SHA-1 of the record's block].

usage: peer.py warcio|fastwarc FILE...
"""
import hashlib
import json
import signal
import sys

SECONDS = 20


def of_warcio(stream):
    from warcio.archiveiterator import ArchiveIterator

    for record in ArchiveIterator(stream, no_record_parse=True, arc2warc=False):
        yield record.rec_headers.get_header("WARC-Target-URI") or record.rec_headers.get_header("uri"), record.raw_stream.read()


def of_fastwarc(stream):
    from fastwarc.warc import ArchiveIterator

    for record in ArchiveIterator(stream, parse_http=False):
        yield record.headers.get("WARC-Target-URI"), record.reader.read()


class TimeUp(Exception):
    pass


def time_up(*_):
    raise TimeUp


def main(peer, files):
    signal.signal(signal.SIGALRM, time_up)
    for file in files:
        found = []
        signal.alarm(SECONDS)
        try:
            with open(file, "rb") as stream:
                for url, block in {"warcio": of_warcio, "fastwarc": of_fastwarc}[peer](stream):
                    found.append([(url or "").strip("<>"), hashlib.sha1(block).hexdigest()])
        except Exception:  # in any case, the records before it count
            pass
        signal.alarm(0)
        print(json.dumps(found), flush=True)


main(sys.argv[1], sys.argv[2:])
