"""What an extension does to its process: threads, forks, panics, other extensions."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable

import pytest

import sitegrove
from sitegrove import Page, SiteModel, _sitegrove


def _learn(pages: list[tuple[str, str]]) -> bytes:
    return sitegrove.learn(pages).to_bytes()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_child_learns(model: SiteModel, gazette: list[Page]) -> None:
    # The parent has used threads before.
    sitegrove.learn(gazette, threads=2)
    pages = [(page.url, page.html) for page in gazette]
    with multiprocessing.get_context("fork").Pool(2) as pool:
        learnt = pool.map_async(_learn, [pages, pages]).get(timeout=60)
    assert learnt == [model.to_bytes()] * 2


def _seconds(work: Callable[[], object], threads: int) -> float:
    started = time.perf_counter()
    running = [threading.Thread(target=work) for _ in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    return time.perf_counter() - started


def test_other_threads_run_meanwhile(gazette: list[Page]) -> None:
    counts = {"during": 0}
    done = threading.Event()

    def count() -> None:
        while not done.is_set():
            counts["during"] += 1
            time.sleep(0.0001)

    other = threading.Thread(target=count)
    other.start()
    before = counts["during"]
    for _ in range(5):
        sitegrove.learn(gazette)
    after = counts["during"]
    done.set()
    other.join()
    assert after - before > 20, "with the GIL held, the other thread would have counted once a call"


@pytest.mark.skipif("SITEGROVE_MEASURE" not in os.environ, reason="needs two idle cores: SITEGROVE_MEASURE=1")
def test_two_threads_are_nearly_twice_as_fast(gazette: list[Page]) -> None:
    def work() -> None:
        for _ in range(40):
            sitegrove.learn(gazette)

    alone = min(_seconds(work, 1) for _ in range(3))
    both = min(_seconds(work, 2) for _ in range(3))
    assert 2 * alone / both >= 1.8


@pytest.mark.filterwarnings("ignore")
def test_a_panic_is_an_exception_and_the_process_goes_on(model: SiteModel, gazette: list[Page]) -> None:
    for _ in range(3):
        with pytest.raises(sitegrove.InternalError, match="as a test asked for"):
            _sitegrove._panic_for_tests()
    assert sitegrove.learn(gazette) == model
    assert issubclass(sitegrove.InternalError, Exception)


@pytest.mark.parametrize("first", ["pyarrow", "polars", "duckdb", "pandas", "pyarrow, polars, duckdb, pandas"])
def test_it_loads_after_others(first: str) -> None:
    code = f"import {first}; import sitegrove; assert sitegrove.extract('<p>' + 'Some words of a page. ' * 50)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_import_is_quick_and_brings_nothing() -> None:
    code = "import sys, sitegrove; assert not {'pyarrow', 'pandas', 'polars', 'tqdm'} & sys.modules.keys()"
    subprocess.run([sys.executable, "-c", code], check=True)
