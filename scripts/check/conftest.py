"""Options and fixtures of the checks: the program, a finished run, its articles, a browser, servers."""
import io
import json
import logging
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CRAWL = sorted((ROOT / "data/crawl").glob("*.warc.gz"))
MOST_SHOWN = 20


def pytest_addoption(parser):
    group = parser.getgroup("sitegrove", "see scripts/check/run --help")
    group.addoption("--program", type=Path, default=os.environ.get("SITEGROVE") or ROOT / "target/release/sitegrove")
    group.addoption("--run", dest="runs", action="append", type=Path)
    group.addoption("--input", dest="inputs", action="append", type=Path)
    group.addoption("--dataset", type=Path)
    group.addoption("--page", dest="pages", action="append", type=Path)
    group.addoption("--at-least", type=float)
    group.addoption("--sites", type=int, default=2_000)
    group.addoption("--screenshots", type=Path)
    group.addoption("--kills", type=int, default=20)
    group.addoption("--seed", type=int, default=1)
    group.addoption("--only", default="")


def pytest_ignore_collect(collection_path, config):
    # The environment of the gate lacks the packages that the other checks import.
    is_gate = config.option.markexpr.startswith("gate")
    return True if is_gate and collection_path.suffix == ".py" and "pytest.mark.gate" not in collection_path.read_text() else None


def read_lines(path):
    """The objects of a file of JSON Lines, which may be compressed with zstd."""
    data = path.read_bytes()
    if path.suffix == ".zst":
        import zstandard

        data = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(data), read_across_frames=True).read()
    return [json.loads(line) for line in data.decode().split("\n")[:-1]]


def without_origin(articles):
    """Articles without where they are from, for a comparison with those of other files."""
    return [{**article, "origin": None} for article in articles]


def read_files(folder, without=()):
    """The contents of all files of a folder by their paths, without those that begin with one of these."""
    found = {str(path.relative_to(folder)): path for path in sorted(folder.rglob("*")) if path.is_file()}
    return {name: path.read_bytes() for name, path in found.items() if not name.startswith(tuple(without))}


@pytest.fixture
def problems():
    """A list to which a check adds what is wrong; the check fails if there is anything at its end."""
    return []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    yield
    if found := item.funcargs.get("problems"):
        pytest.fail("\n".join(map(str, found[:MOST_SHOWN])) + f"\n{len(found)} problems", pytrace=False)


@pytest.fixture(scope="session")
def option(pytestconfig):
    return pytestconfig.option


@pytest.fixture(scope="session")
def program(option):
    path = Path(option.program).resolve()
    assert path.is_file(), f"no program at {path}: cargo build --release makes it, --program names another"
    return path


@pytest.fixture(scope="session")
def sitegrove(program):
    """Calls the program; its exit code must be one of `codes`."""

    def call(*arguments, codes=(0,), **options):
        command = [program, *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, **options)
        assert done.returncode in codes, f"exit code {done.returncode}: {command}\n{done.stderr[-2000:]}"
        return done

    return call


@pytest.fixture(scope="session")
def inputs(option):
    return option.inputs or CRAWL


@pytest.fixture(scope="session")
def run(request, option):
    """The folder of a finished run: that of --run, else a run of the inputs with all outputs."""
    if option.runs:
        return option.runs[0]
    folder = request.getfixturevalue("tmp_path_factory").mktemp("run") / "run"
    call, inputs = request.getfixturevalue("sitegrove"), request.getfixturevalue("inputs")
    call("run", *inputs, "--out", folder, "--sinks", "all", "--markdown", "--quiet")
    return folder


@pytest.fixture(scope="session")
def articles(run):
    path = run / "articles.jsonl"
    return read_lines(path if path.exists() else path.with_name("articles.jsonl.zst"))


@pytest.fixture(scope="session")
def chromium():
    """Headless Chromium of the system, started through Playwright; it knows no host names."""
    from playwright.sync_api import sync_playwright

    names = "chromium chromium-browser google-chrome google-chrome-stable chrome".split()
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if not path:
        pytest.skip("no Chromium on the path; $CHROMIUM names another")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--host-resolver-rules=MAP * ~NOTFOUND"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def s3():
    """A client of an S3 server on this machine, and the environment in which the program finds it."""
    import boto3
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    endpoint = "http://{}:{}".format(*server.get_host_and_port())
    keys = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "us-east-1"}
    client = boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1", aws_access_key_id="key", aws_secret_access_key="secret")
    yield client, os.environ | keys | {"AWS_ENDPOINT": endpoint, "AWS_ALLOW_HTTP": "true"}
    server.stop()
