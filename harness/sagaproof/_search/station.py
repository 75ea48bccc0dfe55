"""A process beside a worker of a cluster, which has threads of its own: runs want a process for themselves.

What goes over its pipes is a length and a pickle. It ends with the worker, which closes its end of the pipe.
"""

from __future__ import annotations

import os
import pickle
import struct
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor
from typing import Any, BinaryIO, Final

from sagaproof._search.hands import Worker
from sagaproof._search.running import runner_of
from sagaproof.errors import InternalError, SagaproofError, UsageError

__all__ = ["Station"]

_HEAD: Final = struct.Struct(">Q")


class Station:
    """Runs batches of one campaign, which is given as a pickle of subject and settings."""

    def __init__(self, payload: bytes) -> None:
        command = [sys.executable, "-m", __name__]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603
        self._path: Sequence[str] | None = [*sys.path]
        self._payload = payload

    def do(self, work: str, script: str, batch: Sequence[Any]) -> Any:
        """Have it done. Raises `BrokenExecutor` if the process ends over it, else what was raised there."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            if self._path is not None:
                _send(self._process.stdin, (self._path, self._payload))
                self._path = None
            _send(self._process.stdin, (work, script, batch))
            answer, error = _receive(self._process.stdout)
        except (EOFError, BrokenPipeError) as ended:
            raise BrokenExecutor(f"a worker of the cluster ended ({self.close()})") from ended
        if error is not None:
            raise error
        return answer

    def close(self) -> int:
        """End it; returns how it ended."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.close()
            return self._process.wait(timeout=1)
        except (BrokenPipeError, subprocess.TimeoutExpired):
            self._process.kill()
            return self._process.wait()


def _send(pipe: BinaryIO | Any, value: object) -> None:
    frame = pickle.dumps(value)
    pipe.write(_HEAD.pack(len(frame)) + frame)
    pipe.flush()


def _receive(pipe: BinaryIO | Any) -> Any:
    return pickle.loads(_exactly(pipe, _HEAD.unpack(_exactly(pipe, _HEAD.size))[0]))  # noqa: S301  # our own


def _exactly(pipe: BinaryIO | Any, size: int) -> bytes:
    found: bytes = pipe.read(size)
    if len(found) < size:
        raise EOFError
    return found


def _serve(questions: BinaryIO, answers: BinaryIO) -> None:
    """Answer until the other side is gone."""
    path, payload = _receive(questions)
    sys.path[:] = path
    error: BaseException | None = None
    try:
        subject, settings = _unpickled(payload)
        runner = runner_of(subject, settings)
    except SagaproofError as unusable:
        while True:
            _receive(questions)
            _send(answers, (None, unusable))
    with runner as entered:
        worker = Worker(subject, settings, entered, {})
        while True:
            work, script, batch = _receive(questions)
            answer, error = None, None
            try:
                answer = getattr(worker, work)(script, batch)
            except Exception as raised:  # noqa: BLE001  # it is raised again on the other side
                error = raised
            _answer(answers, answer, error)


def _answer(answers: BinaryIO, answer: object, error: Exception | None) -> None:
    try:
        _send(answers, (answer, error))
    except Exception as why:  # noqa: BLE001  # whatever cannot be pickled
        what = f"what a worker found cannot be sent: {error or ''} {type(why).__name__}: {why}"
        _send(answers, (None, InternalError(what, advice="Explore with --saga-workers.")))


def _unpickled(payload: bytes) -> Any:
    try:
        return pickle.loads(payload)  # noqa: S301  # from the process that explores
    except Exception as error:  # whatever importing somebody else's code raises
        raise UsageError(
            f"a worker of the cluster cannot load the campaign: {type(error).__name__}: {error}",
            advice="Give it the same code and versions: install them there, set PYTHONPATH, or upload_file.",
        ) from error


def _main() -> None:
    """What a saga prints must not get in between the answers."""
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)
        try:
            _serve(sys.stdin.buffer, answers)
        except EOFError:
            return


if __name__ == "__main__":
    _main()
