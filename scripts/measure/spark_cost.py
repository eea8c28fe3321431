"""What a command with a local Spark costs: CPU time and memory of all its processes, and what Spark shuffled."""
import ctypes
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import NamedTuple

# Processes whose parent ends become children of this one, so that the time of all of them is counted.
PR_SET_CHILD_SUBREAPER = 36


class Cost(NamedTuple):
    """What a command and all its processes took."""

    cpu: float
    """CPU seconds, user and system."""
    workers: float
    """Those of Spark's workers in Python."""
    jvm: float
    """Those of the JVM."""
    peak: int
    """Bytes of memory of the largest of these workers."""
    own_peak: int
    """Bytes of memory of the process of the command itself."""


class Workers(threading.Thread):
    """Watches the CPU time of the JVM, and the memory and CPU time of the Python processes that Spark forks for its tasks."""

    def __init__(self):
        super().__init__(daemon=True)
        self.peak = 0
        self.ticks = {}
        self.ticks_of_jvm = {}
        self.ended = threading.Event()

    def run(self):
        while not self.ended.wait(0.05):
            for status in Path("/proc").glob("[0-9]*/status"):
                try:
                    command = (status.parent / "cmdline").read_bytes()
                    is_worker = b"pyspark.daemon" in command
                    if not is_worker and b"org.apache.spark.deploy.SparkSubmit" not in command:
                        continue
                    line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
                    self.peak = max(self.peak, int(line.split()[1]) * 1024) if is_worker else self.peak
                    # After the name in parentheses; its own time, without that of children.
                    fields = (status.parent / "stat").read_text().rpartition(")")[2].split()
                    of = self.ticks if is_worker else self.ticks_of_jvm
                    of[status.parent.name] = int(fields[11]) + int(fields[12])
                except (OSError, StopIteration):
                    continue


def prepare():
    """Makes this process the parent of all that its commands leave; to be called once, before `cost`."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def cost(command, environment=None):
    """The cost of a command; no other process of this one may run. Ends the script if the command fails."""
    workers = Workers()
    workers.start()
    seconds, own_peak = 0.0, 0
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    code = None
    while True:
        try:
            pid, status, used = os.wait4(-1, 0)
        except ChildProcessError:
            break
        seconds += used.ru_utime + used.ru_stime
        if pid == process.pid:
            code, own_peak = os.waitstatus_to_exitcode(status), used.ru_maxrss * 1024
    workers.ended.set()
    if code:
        sys.exit(f"{Path(sys.argv[0]).name}: exit code {code} of {' '.join(map(str, command))}")
    of_workers, of_jvm = (sum(of.values()) / os.sysconf("SC_CLK_TCK") for of in (workers.ticks, workers.ticks_of_jvm))
    return Cost(seconds, of_workers, of_jvm, workers.peak, own_peak)


def environment(jobs, events=None, java=""):
    """The environment of a command with a local Spark of so many cores and these options of its JVM; it logs its events to a folder."""
    options = ["--master", f"local[{jobs}]"]
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "1g",
    }
    if java:
        settings["spark.driver.extraJavaOptions"] = java
    if events:
        settings |= {
            "spark.eventLog.enabled": "true",
            "spark.eventLog.dir": events.as_uri(),
            "spark.eventLog.compress": "false",
            "spark.eventLog.rolling.enabled": "false",
        }
    options += [part for name, value in settings.items() for part in ("--conf", f"{name}={value}")]
    return os.environ | {"PYSPARK_PYTHON": sys.executable, "PYSPARK_SUBMIT_ARGS": " ".join([*options, "pyspark-shell"])}


def shuffled(events):
    """Bytes that the tasks of a session wrote for others, by its log."""
    written = 0
    for path in events.iterdir():
        for line in path.read_text(encoding="utf-8").splitlines():
            event = json.loads(line)
            if event["Event"] == "SparkListenerTaskEnd":
                written += event["Task Metrics"]["Shuffle Write Metrics"]["Shuffle Bytes Written"]
    return written
