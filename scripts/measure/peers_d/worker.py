"""Runs one Python peer: a line {"html"} in, a line {"text","seconds"} or {"error","seconds"} out.

usage: worker.py PEER
"""
import json
import os
import sys
import time

from extractors import EXTRACTORS


def answer(extract, html: str) -> dict:
    start = time.process_time()
    try:
        outcome = {"text": extract(html)}
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
        json.dump(answer(extract, json.loads(line)["html"]), answers)
        answers.write("\n")
        answers.flush()


if __name__ == "__main__":
    main()
