"""hadolint (GPL-3.0, run as a program of its own) finds nothing in the Dockerfile."""
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT


@pytest.mark.gate
def test_dockerfile():
    hadolint = Path(sys.executable).with_name("hadolint")
    assert subprocess.run([hadolint, "--failure-threshold", "info", ROOT / "Dockerfile"]).returncode == 0
