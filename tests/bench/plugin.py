"""A pytest session of one test that has nothing to do with us, with the plugin and without it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from tests.bench.rounds import Once


def session(*options: str) -> Callable[[], AbstractContextManager[Once]]:
    """A session with these options besides; no other plugin of the environment is loaded."""

    @contextmanager
    def ready() -> Iterator[Once]:
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "test_nothing.py").write_text("def test_nothing(): pass\n", encoding="utf-8")
            command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options]
            environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}

            def once() -> None:
                subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)

            yield once

    return ready
