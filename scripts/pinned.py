"""A Python environment with pinned packages, for the checks that need libraries of other programs."""
import hashlib
import os
import subprocess
import sys
import venv
from pathlib import Path


def enter(name, packages, script):
    """Runs `script` again in an environment that has the packages.

    The environment is created under $SITEGROVE_CACHE, else ~/.cache/sitegrove, on first use.
    """
    if os.environ.get("SITEGROVE_PINNED") == name:
        return
    key = hashlib.sha256(repr((packages, sys.version)).encode()).hexdigest()[:12]
    cache = Path(os.environ.get("SITEGROVE_CACHE") or Path.home() / ".cache/sitegrove")
    home = cache / f"{name}-{key}"
    python = home / "bin/python"
    if not (home / "complete").exists():
        print(f"making {home}", file=sys.stderr)
        venv.create(home, clear=True, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages], check=True)
        (home / "complete").touch()
    os.environ["SITEGROVE_PINNED"] = name
    os.execv(python, [python, script, *sys.argv[1:]])
