"""What all parts of the binding share: the library, its errors, and the tables that are made once for all."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from threading import Thread
from typing import Any

from pyengine.engine._kernel import ffi, lib

NONE = 255
NULL = ffi.NULL


class KernelError(Exception):
    """A status other than MJ_OK; `status` is its name."""

    def __init__(self, status: int, where: int | None = None) -> None:
        self.status: str = ffi.string(lib.mj_status_name(status)).decode()
        self.where = where
        self.is_no_move = status == lib.MJ_NO_MOVE
        self._number = status
        super().__init__(self.status if where is None else f"{self.status} at {where}")

    def __reduce__(self) -> tuple[type[KernelError], tuple[int, int | None]]:
        return KernelError, (self._number, self.where)  # so that another process may tell of it


def check(status: int, where: int | None = None) -> None:
    if status != lib.MJ_OK:
        raise KernelError(status, where)


@cache
def suit_tables() -> Any:
    """The tables of suits, which all programs share."""
    out = ffi.new("mj_tables **")
    check(lib.mj_tables_new(out))
    return ffi.gc(out[0], lib.mj_tables_free)


@cache
def suit_states() -> Any:
    """The states of suits, which all folds share."""
    out = ffi.new("mj_states **")
    check(lib.mj_states_new(suit_tables(), out))
    return ffi.gc(out[0], lib.mj_states_free)


@cache
def near_tables() -> Any:
    """The tables of nearness, which all programs share."""
    out = ffi.new("mj_near **")
    check(lib.mj_near_new(suit_tables(), suit_states(), out))
    return ffi.gc(out[0], lib.mj_near_free)


def nearness(n: int) -> tuple[Any, Any]:
    """The states and the tables of nearness; none of them for so few hands that making them does not pay."""
    if n < FEWEST_NEAR and not near_tables.cache_info().currsize:
        return ffi.NULL, ffi.NULL
    return suit_states(), near_tables()


FEWEST_NEAR = 1000


def interruptible(call: Callable[[Any], int]) -> int:
    """The status of a long call, which is handed a word to look at: it ends soon after that is not 0.

    Python tells of Ctrl-C only between calls of its main thread, so another thread calls.
    """
    stop = ffi.new("uint32_t *")
    statuses: list[int] = []
    thread = Thread(target=lambda: statuses.append(call(stop)), daemon=True)
    try:
        thread.start()
        thread.join()
    except BaseException:
        stop[0] = 1
        if thread.ident is not None:
            thread.join()
        raise
    return statuses[0]


def status_name(status: int) -> str:
    """The name of a status of the kernel."""
    name: str = ffi.string(lib.mj_status_name(status)).decode()
    return name
