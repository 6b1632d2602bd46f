"""Output files that are whole or not there: written beside their place, and moved to it when they are done.

What is gathered of `scored.csv` is `scored.csv.part`, and `scored.csv.part.state` says how far it is good.  A run
that is killed leaves both, and the next one of the same work goes on from there.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pyengine.language.diagnostics import refuse

try:
    import fcntl
except ImportError:  # No such locks here; two runs at once then spoil each other's part, not the output.
    fcntl = None  # type: ignore[assignment]


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """What the system refuses while a file is written is told of the file."""
    try:
        yield
    except OSError as error:
        raise refuse("E963", path=path, error=error.strerror or error) from error


class Part:
    """The part of a file that is being written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.part = path.with_name(path.name + ".part")
        with writing(path):
            if path.is_dir():
                raise refuse("E902", path=path)
            # Not truncated before it is locked: another run may be writing to it.
            self._file = self.part.open("ab")
            self._lock()

    def _lock(self) -> None:
        if fcntl is not None:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                self._file.close()
                raise refuse("E977", path=self.path) from None

    def cut(self, size: int) -> bool:
        """Leaves so many bytes, behind which is written; False where there are fewer."""
        with writing(self.path):
            enough = os.fstat(self._file.fileno()).st_size >= size
            if enough:
                self._file.truncate(size)
        return enough

    def write(self, data: bytes) -> None:
        with writing(self.path):
            self._file.write(data)

    def sync(self) -> int:
        """All that was written is on the disk; how much that is."""
        with writing(self.path):
            self._file.flush()
            os.fsync(self._file.fileno())
            return os.fstat(self._file.fileno()).st_size

    def close(self) -> None:
        with suppress(OSError):  # What is still in the buffer does not fit; the state does not count on it.
            self._file.close()

    def discard(self) -> None:
        self.close()
        self.part.unlink(missing_ok=True)

    def drop_if_empty(self) -> None:
        """Leaves no trace of a run that never began."""
        if os.fstat(self._file.fileno()).st_size:
            self.close()
        else:
            self.discard()


def move(whole: Path, path: Path) -> None:
    """A whole file takes its place."""
    with writing(path):
        whole.replace(path)
        if os.name == "posix":  # The name is on the disk only when the folder is.
            folder = os.open(path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)


@dataclass(frozen=True)
class State:
    """How far a run is.

    place, row  behind which row of the input, and how many rows these are; None before the first
    sizes       how much of each part is good
    bad         rows among them that are no hands
    survey      what had to be known of the whole input before
    moves       when all is written: which files take which places; `spent` are of no use then
    """

    place: Mapping[str, int] | None = None
    row: int = 0
    sizes: Sequence[int] = ()
    bad: int = 0
    survey: Mapping[str, Any] | None = None
    moves: Sequence[tuple[str, str]] = ()
    spent: Sequence[str] = ()


class Journal:
    """The state of a run beside its output, for the next one."""

    def __init__(self, path: Path, job: Mapping[str, Any]) -> None:
        self.path = path.with_name(f"{path.name}.part.state")
        self._new = path.with_name(f"{path.name}.part.state.new")
        self.job = json.loads(json.dumps(job))

    def read(self) -> State | None:
        """The last state of the same work; None where there is none, or that of another."""
        try:
            state = json.loads(self.path.read_text(encoding="utf-8"))
            return State(**state["state"]) if state["job"] == self.job else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def write(self, state: State) -> None:
        with writing(self.path):
            with self._new.open("w", encoding="utf-8") as file:
                json.dump({"job": self.job, "state": asdict(state)}, file, ensure_ascii=False)
                file.flush()
                os.fsync(file.fileno())
            self._new.replace(self.path)

    def discard(self) -> None:
        for path in (self._new, self.path):
            path.unlink(missing_ok=True)
