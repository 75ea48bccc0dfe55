"""What `./dev bench` runs: puts the repository's root on the path and hands over to the command."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    runpy.run_module("tests.bench.command", run_name="__main__")
