"""A file system of Hadoop on this machine, for checks of `hdfs://`: a name node and a data node, each a JVM.

The jars are those of the PyPI package pyspark 2.4.8, the last one that has Hadoop's servers (2.7.3), not only its client.
"""
import os
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

PACKAGE = "pyspark==2.4.8"
JARS = Path(__file__).resolve().parents[2] / "target/hadoop"
SERVERS = ["namenode.NameNode", "datanode.DataNode"]


def _install():
    """The folder of the jars, which are installed once."""
    if not JARS.is_dir():
        pip, part = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"], JARS.with_suffix(".part")
        # Its setup.py fails where it finds a pypandoc of today, which isolated builds bring.
        subprocess.run([*pip, "setuptools<80", "wheel"], check=True)
        subprocess.run([*pip, "--no-deps", "--no-build-isolation", "--upgrade", "--target", part, PACKAGE], check=True)
        part.rename(JARS)
    return JARS / "pyspark/jars"


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _write(path, **properties):
    named = "".join(
        f"<property><name>{name.replace('_', '.')}</name><value>{value}</value></property>" for name, value in properties.items()
    )
    path.write_text(f"<configuration>{named}</configuration>")


class FileSystem:
    """A file system that runs."""

    def __init__(self, java, address, configuration):
        self._java = java
        self.address = address
        self.configuration = configuration
        """What `HADOOP_CONF_DIR` is to name, so that addresses without a host lead here."""

    def put(self, files, folder):
        """Copies files to a folder, which is made."""
        shell = [*self._java, "org.apache.hadoop.fs.FsShell"]
        for command in (["-mkdir", "-p", folder], ["-put", "-f", *map(str, files), folder]):
            # Until the name node listens, and the data node has told it of itself.
            for _ in range(30):
                done = subprocess.run([*shell, *command], capture_output=True, text=True)
                if done.returncode == 0:
                    break
                time.sleep(1)
            else:
                raise RuntimeError(done.stderr)


@contextmanager
def file_system(folder):
    """Runs a file system whose files are in a folder."""
    folder = Path(folder).absolute()
    configuration = folder / "conf"
    address = f"hdfs://127.0.0.1:{_free_port()}"
    # The servers start only with the pages that they would show.
    for name in ("hdfs", "datanode"):
        pages = configuration / "webapps" / name / "WEB-INF"
        pages.mkdir(parents=True)
        (pages / "web.xml").write_text('<web-app xmlns="http://java.sun.com/xml/ns/javaee" version="2.4"/>')
    any_port = "127.0.0.1:0"
    _write(configuration / "core-site.xml", fs_defaultFS=address, hadoop_tmp_dir=folder / "data")
    _write(
        configuration / "hdfs-site.xml",
        dfs_replication=1,
        dfs_webhdfs_enabled="false",
        dfs_datanode_address=any_port,
        dfs_datanode_ipc_address=any_port,
        dfs_datanode_http_address=any_port,
        **{"dfs.namenode.http-address": any_port},
    )
    java = ["java", "-Xmx256m", "--add-opens", "java.base/java.lang=ALL-UNNAMED", "-cp", f"{configuration}{os.pathsep}{_install()}/*"]
    name_node, data_node = ([*java, f"org.apache.hadoop.hdfs.server.{name}"] for name in SERVERS)
    subprocess.run([*name_node, "-format", "-nonInteractive"], check=True, capture_output=True)
    with open(folder / "log.txt", "wb") as log:
        running = [subprocess.Popen(command, stdout=log, stderr=log) for command in (name_node, data_node)]
    try:
        yield FileSystem(java, address, configuration)
    finally:
        for process in running:
            process.kill()
            process.wait()
