"""Runs one peer for metadata: a line {"html","url"} in, a line {"metadata","seconds"} or {"error","seconds"} out.

usage: metadata_worker.py PEER
"""
import json
import os
import sys
import time

from metadata_extractors import EXTRACTORS


def answer(extract, page: dict) -> dict:
    start = time.process_time()
    try:
        outcome = {"metadata": extract(page["html"], page.get("url", ""))}
    except Exception as error:  # any exception of a peer counts as its failure
        outcome = {"error": f"{type(error).__name__}: {error}"}
    outcome["seconds"] = time.process_time() - start
    return outcome


def main() -> None:
    # Output of peers must not mix with the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    extract = EXTRACTORS[sys.argv[1]]()
    for line in sys.stdin:
        json.dump(answer(extract, json.loads(line)), answers)
        answers.write("\n")
        answers.flush()


if __name__ == "__main__":
    main()
