"""What measurements share: options, the cost of a command, rounds in turn, tables, and an environment with pinned packages."""
import argparse
import contextlib
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path
from typing import NamedTuple

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
CACHE = Path(os.environ.get("SITEGROVE_CACHE") or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sitegrove")
NAME = f"scripts/measure/{Path(sys.argv[0]).name}"
# Records and pages of made-up sites.
sys.path.append(str(ROOT / "scripts/make"))


def make_parser(text):
    """A parser with the option --program; `text` is the description."""
    parser = argparse.ArgumentParser(prog=NAME, description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.environ.get("SITEGROVE") or ROOT / "target/release/sitegrove", type=Path,
                        help="sitegrove (default: $SITEGROVE, else target/release/sitegrove)")
    return parser


def parse(parser):
    """The arguments, with the program's path made absolute."""
    arguments = parser.parse_args()
    arguments.program = arguments.program.resolve()
    if not arguments.program.is_file():
        parser.error(f"no program at {arguments.program}; cargo build --release makes it, --program names another")
    return arguments


def fail(message, code=2):
    print(f"{NAME}: {message}", file=sys.stderr)
    sys.exit(code)


@contextlib.contextmanager
def scratch(parent=None):
    with tempfile.TemporaryDirectory(prefix="sitegrove-", dir=parent) as folder:
        yield Path(folder)


class Cost(NamedTuple):
    """What a command took: wall-clock and CPU seconds, and bytes of memory; its output, if it was asked for."""

    seconds: float
    cpu: float
    peak: int
    code: int
    output: str


def measure(command, codes=(0,), core=None, stdout=None, prepare=None, **options):
    """Runs a command, on one core if it is given; ends the script if its exit code is none of `codes`."""

    def pin():
        if core is not None:
            os.sched_setaffinity(0, {core})
        if prepare:
            prepare()

    command, begun = list(map(str, command)), time.monotonic()
    process = subprocess.Popen(command, stdout=stdout, preexec_fn=pin, text=True, **options)
    output = process.stdout.read() if process.stdout else ""
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    cost = Cost(time.monotonic() - begun, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, process.returncode, output)
    if codes and cost.code not in codes:
        fail(f"exit code {cost.code} of {' '.join(command)}")
    return cost


def measure_in_turn(rounds, measurements, warm_up=False):
    """The results of measurements by name, each made once a round, so that what else the machine does affects all alike."""
    results = {name: [] for name in measurements}
    for number in range(rounds + warm_up):
        for name, own in measurements.items():
            result = own()
            if number or not warm_up:
                results[name].append(result)
    return results


def read_lines(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def read_json(path):
    return json.loads(path.read_bytes())


def add_up_files(folder):
    """Bytes of a file, or of all files of a folder."""
    return sum(path.stat().st_size for path in (folder.rglob("*") if folder.is_dir() else [folder]) if path.is_file())


def make_crawl(folder, *options):
    """A synthetic crawl; returns its archives."""
    command = [sys.executable, ROOT / "scripts/make/crawl", folder, *map(str, options)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return sorted(folder.glob("*.warc.gz"))


def print_table(head, rows, texts=1):
    """A Markdown table whose first columns are texts, the others numbers; rows are printed as they come."""
    print(f"| {' | '.join(map(str, head))} |\n|{'---|' * texts}{'--:|' * (len(head) - texts)}", flush=True)
    for row in rows:
        print(f"| {' | '.join(map(str, row))} |", flush=True)


def name_processor():
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown")


def name_cache(name, contents):
    """A folder in the cache that belongs to these contents."""
    return CACHE / f"{name}-{hashlib.sha256(repr(contents).encode()).hexdigest()[:12]}"


def enter_environment(name, packages):
    """Runs the script again in a virtual environment with these packages, which is made in the cache on first use."""
    if os.environ.get("SITEGROVE_ENVIRONMENT") == name:
        return
    home = name_cache(name, (packages, sys.version))
    if not (home / "complete").exists():
        print(f"{NAME}: making {home}", file=sys.stderr)
        venv.create(home, clear=True, with_pip=True)
        pip = [home / "bin/python", "-m", "pip", "--quiet", "--disable-pip-version-check", "install"]
        subprocess.run([*pip, "--upgrade", "pip"], check=True)
        subprocess.run([*pip, *packages], check=True)
        (home / "complete").touch()
    os.environ["SITEGROVE_ENVIRONMENT"] = name
    os.execv(home / "bin/python", [home / "bin/python", "-B", *sys.argv])
