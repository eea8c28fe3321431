"""A peer in a separate process, so that a hang or crash costs one page."""
import json
import os
import select
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
# One thread, and the same hash seed in every run.
ENVIRONMENT = {
    "PYTHONHASHSEED": "0",
    "PYTHONIOENCODING": "utf-8",
    "OMP_NUM_THREADS": "1",
    "RAYON_NUM_THREADS": "1",
    "TZ": "UTC",
}
# Answered before the first page, so that no page includes the time to load the peer.
WARM_UP = "<html><body><article><p>" + "A sentence that is long enough, with a comma. " * 20 + "</article></body></html>"
# Timeout for starting, loading and warming up, in seconds.
START_SECONDS = 120.0


class PeerProcess:
    """Extracts pages one by one; starts a new process after a page that ended it."""

    def __init__(self, command: list[str], limit: float):
        self.command = command
        self.limit = limit
        self.process: subprocess.Popen | None = None

    def extract(self, html: str, **about: str) -> dict:
        """{"text","seconds"} or {"error","seconds"}; the fields of `about` are passed to the peer with the html."""
        if self.process is None:
            self.start()
        begin = time.monotonic()
        line = self.ask({"html": html, **about}, self.limit)
        if line is None:
            code = self.stop()
            return {"error": ended(code), "seconds": time.monotonic() - begin}
        return json.loads(line)

    def ask(self, page: dict[str, str], seconds: float) -> bytes | None:
        """The line it answers, or None if it is too slow or has ended."""
        assert self.process and self.process.stdin and self.process.stdout
        try:
            self.process.stdin.write(json.dumps(page).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return None
        until = time.monotonic() + seconds
        parts: list[bytes] = []
        while not parts or not parts[-1].endswith(b"\n"):
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                return None
            parts.append(os.read(self.process.stdout.fileno(), 1 << 20))
            if not parts[-1]:
                return None
        return b"".join(parts)

    def start(self) -> None:
        self.process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | ENVIRONMENT,
            cwd=HERE,
        )
        if self.ask({"html": WARM_UP}, START_SECONDS) is None:
            raise RuntimeError(f"{self.command} does not start: {ended(self.stop())}")

    def stop(self) -> int | None:
        """Ends the process. Returns its exit code if it ended by itself."""
        if self.process is None:
            return None
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        code = self.own_end()
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process = None
        return code

    def own_end(self) -> int | None:
        # After a crash, the pipe closes shortly before the process ends.
        try:
            return self.process.wait(timeout=0.5)
        except subprocess.TimeoutExpired:
            return None


def ended(code: int | None) -> str:
    return "out of time" if code is None else f"the process ended with code {code}"


def python_peer(name: str) -> list[str]:
    return [sys.executable, str(HERE / "worker.py"), name]
