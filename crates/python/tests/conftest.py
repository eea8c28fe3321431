"""What tests share: the sample crawl, read once, and the examples of the documents."""

from __future__ import annotations

import logging
import os
import re
import ssl
import sys
import threading
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import sitegrove
from sitegrove import FeedItem, Page, SiteModel
from sitegrove._sitegrove import _reads_addresses

REPOSITORY = Path(__file__).resolve().parents[3]
NO_ADDRESSES = "this build has no access to addresses: scripts/test-python --remote"
CRAWL = sorted((REPOSITORY / "data" / "crawl").glob("*.warc.gz"))


def blocks(path: Path, language: str) -> list[str]:
    """The blocks of a document in a language."""
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [text for name, text in fenced if name == language]


@pytest.fixture(scope="session")
def sites() -> dict[str, list[Page]]:
    """The pages of the sample crawl by site."""
    pages: dict[str, list[Page]] = defaultdict(list)
    for path in CRAWL:
        for page in sitegrove.read_warc(path):
            pages[page.site].append(page)
    return dict(pages)


@pytest.fixture(scope="session")
def feed_items() -> dict[str, list[FeedItem]]:
    """The feed items of the sample crawl by site."""
    items: dict[str, list[FeedItem]] = defaultdict(list)
    for path in CRAWL:
        reader = sitegrove.read_warc(path)
        for _ in reader:
            pass
        for item in reader.feed_items:
            items[sitegrove.site_key(item.link) or ""].append(item)
    return dict(items)


@pytest.fixture(scope="session")
def gazette(sites: dict[str, list[Page]]) -> list[Page]:
    """The pages of the largest site."""
    return sites["harbour-gazette.example"]


@pytest.fixture(scope="session")
def model(gazette: list[Page]) -> SiteModel:
    """What is learnt of the largest site."""
    return sitegrove.learn(gazette)


@pytest.fixture(scope="session")
def program() -> Path:
    """The program, built before: `SITEGROVE_PROGRAM`, or that of the dev profile."""
    path = Path(os.environ.get("SITEGROVE_PROGRAM", REPOSITORY / "target" / "debug" / "sitegrove"))
    if not path.exists():
        pytest.skip(f"no program at {path}: cargo build --package sitegrove, or set SITEGROVE_PROGRAM")
    return path


class Servers(NamedTuple):
    """Where archives are at addresses."""

    http: str
    """A server of buckets."""
    https: str
    """The same buckets, by TLS."""
    certificates: Path
    """Of the authority that vouches for it."""
    hdfs: Any
    """A file system of Hadoop."""

    def make_bucket(self, name: str, environment: pytest.MonkeyPatch) -> str:
        """Make a bucket, and give its address; `environment` gets what reading and writing it needs."""
        import boto3

        keys = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "us-east-1"}
        for key, value in {**keys, "AWS_ENDPOINT": self.http, "AWS_ALLOW_HTTP": "true"}.items():
            environment.setenv(key, value)
        boto3.client("s3", endpoint_url=self.http, region_name="us-east-1").create_bucket(Bucket=name)
        return f"s3://{name}"


@pytest.fixture(scope="session")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers | None]:
    """Servers, if the package has access to addresses."""
    if not _reads_addresses:
        yield None
        return
    import trustme
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import make_server

    sys.path.append(str(REPOSITORY / "scripts/check"))
    import hadoop

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    authority = trustme.CA()
    certificates = tmp_path_factory.mktemp("tls") / "authority.pem"
    authority.cert_pem.write_to_path(str(certificates))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    app = DomainDispatcherApplication(create_backend_app)
    running = [make_server("127.0.0.1", 0, app, threaded=True, ssl_context=tls) for tls in (None, context)]
    for server in running:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    http, https = (f"127.0.0.1:{server.server_port}" for server in running)
    with hadoop.file_system(tmp_path_factory.mktemp("hadoop")) as hdfs:
        yield Servers(f"http://{http}", f"https://{https}", certificates, hdfs)
    for server in running:
        server.shutdown()
