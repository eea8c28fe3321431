"""Crawls are read from S3 and HDFS, and results written to S3, as from and to local files. moto and Hadoop serve on this machine.

The results of a larger crawl are written to a bucket with every output and a data set, the largest files in parts. Then the process
is killed while it uploads, and the same command is given again.
"""
import os
import shutil
import subprocess
import sys
import time

import hadoop
import pytest
from conftest import CRAWL, ROOT, read_files, read_lines, without_origin

pytestmark = pytest.mark.remote
# Each run names its index segments anew; the others say when the run was.
VARYING = ("index/", "report/", "ledger.json", "articles.warc.gz", "articles.cdxj", "archive.sqlite")


def list_objects(client, bucket):
    pages = client.get_paginator("list_objects_v2").paginate(Bucket=bucket)
    names = [own["Key"] for page in pages for own in page.get("Contents", [])]
    return {name: client.get_object(Bucket=bucket, Key=name)["Body"].read() for name in names}


@pytest.fixture
def read_articles(sitegrove, tmp_path):
    """The articles of a run on some inputs, without where they are from."""
    numbers = iter(range(100))

    def read(*inputs, env=os.environ):
        out = tmp_path / f"run-{next(numbers)}"
        sitegrove("run", *inputs, "--out", out, "--quiet", env=env)
        return without_origin(read_lines(out / "articles.jsonl"))

    return read


def test_s3_inputs(read_articles, s3):
    client, environment = s3
    client.create_bucket(Bucket="crawl")
    for path in CRAWL:
        client.upload_file(str(path), "crawl", f"night/{path.name}")
    own = read_articles(*CRAWL)
    for name in ("s3://crawl/night/", "s3://crawl/night/sample-*.warc.gz", "s3://crawl/n*/*.gz"):
        assert read_articles(name, env=environment) == own, name


def test_hdfs_inputs(read_articles, sitegrove, tmp_path):
    if not shutil.which("java"):
        pytest.skip("no Java")
    own = read_articles(*CRAWL)
    with hadoop.file_system(tmp_path / "hadoop") as files:
        files.put(CRAWL, "/crawl/night one")
        address, environment = files.address, os.environ | {"HADOOP_CONF_DIR": str(files.configuration)}
        named = [f"{address}/crawl/night one/{path.name}" for path in CRAWL]
        for inputs in (named, [f"{address}/crawl/"], [f"{address}/crawl/n*/sample-?.warc.gz"], ["hdfs:///crawl/night one/"]):
            assert read_articles(*inputs, env=environment) == own, inputs
        missing = sitegrove("run", f"{address}/crawl/none.warc.gz", "--out", tmp_path / "none", "--quiet", codes=[2])
        assert "/crawl/none.warc.gz" in missing.stderr
    missing = sitegrove("run", f"{address}/crawl/", "--out", tmp_path / "none", "--quiet", codes=[2])
    assert address in missing.stderr


@pytest.fixture(scope="session")
def crawl(tmp_path_factory):
    folder = tmp_path_factory.mktemp("crawl") / "crawl"
    command = [sys.executable, ROOT / "scripts/make/crawl", folder, "--html", "80MB", "--sites", "20"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return folder


@pytest.fixture(scope="session")
def expected(sitegrove, crawl, tmp_path_factory):
    """The files of a local run of the crawl with every output and a data set, by their names in a bucket."""
    folder = tmp_path_factory.mktemp("local")
    sitegrove("run", crawl, "--sinks", "all", "--markdown", "--quiet", "--out", folder / "tonight", "--dataset", folder / "articles")
    return read_files(folder)


@pytest.mark.parametrize(("bucket", "kills"), [("whole", 0), ("killed", 3)])
def test_s3_outputs(program, crawl, expected, s3, bucket, kills, problems, tmp_path):
    client, environment = s3
    client.create_bucket(Bucket=bucket)
    names = {name for name in expected if not name.startswith("tonight/index/")}
    command = [program, "run", crawl, "--sinks", "all", "--markdown", "--quiet", "--work", tmp_path]
    command += ["--out", f"s3://{bucket}/tonight", "--dataset", f"s3://{bucket}/articles"]
    for number in range(kills):
        before = len(list_objects(client, bucket))
        process = subprocess.Popen(command, env=environment)
        # While it uploads: the mark is there from the start, the first results come then.
        while process.poll() is None and len(list_objects(client, bucket)) < max(2, before + 4):
            time.sleep(0.002)
        process.kill()
        process.wait()
        found = set(list_objects(client, bucket))
        if "tonight/ledger.json" in found and not names <= found:
            problems.append(f"after kill {number + 1}, a ledger without {sorted(names - found)}")
    subprocess.run(command, check=True, env=environment)
    found = list_objects(client, bucket)
    print(f"{len(found)} objects, the largest of {max(map(len, found.values()))} bytes")
    if differing := names ^ {name for name in found if not name.startswith("tonight/index/")}:
        problems.append(f"not among both: {sorted(differing)}")
    stable = {name for name in expected if not name.removeprefix("tonight/").startswith(VARYING)}
    problems += [f"{name} differs" for name in stable if found.get(name) != expected[name]]
    assert any(name.startswith("tonight/index/") for name in found)
    assert client.head_object(Bucket=bucket, Key="tonight/report/index.html")["ContentType"].startswith("text/html")
    again = subprocess.run(command, check=True, env=environment, capture_output=True, text=True)
    assert again.stderr == "" and not list(tmp_path.iterdir())
