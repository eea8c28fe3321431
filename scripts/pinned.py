"""A Python environment with pinned packages, for the checks that need libraries of other programs."""
import hashlib
import os
import subprocess
import sys
import venv
from pathlib import Path


def enter(name, packages, script, built=()):
    """Runs `script` again in an environment that has the packages; those in `built` are old ones without a wheel, whose setup.py
    fails with what an isolated build brings.

    The environment is created under $SITEGROVE_CACHE, else ~/.cache/sitegrove, on first use.
    """
    if os.environ.get("SITEGROVE_PINNED") == name:
        return
    key = hashlib.sha256(repr((packages, built, sys.version)).encode()).hexdigest()[:12]
    cache = Path(os.environ.get("SITEGROVE_CACHE") or Path.home() / ".cache/sitegrove")
    home = cache / f"{name}-{key}"
    python = home / "bin/python"
    if not (home / "complete").exists():
        print(f"making {home}", file=sys.stderr)
        venv.create(home, clear=True, with_pip=True)
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*install, *packages], check=True)
        if built:
            subprocess.run([*install, "setuptools", "wheel"], check=True)
            subprocess.run([*install, "--no-build-isolation", "--no-deps", *built], check=True)
        (home / "complete").touch()
    os.environ["SITEGROVE_PINNED"] = name
    os.execv(python, [python, script, *sys.argv[1:]])
