"""Builds the kernel as the extension module ``pyengine.engine._kernel``.

cffi reads its declarations from ``mj.h`` and the headers it includes, so that they stay the only
description of the interface.  ``RULESPEC_SANITIZE=1`` builds with the address and
undefined-behaviour sanitizers.
"""

import os
import re
from pathlib import Path

from cffi import FFI

HERE = Path(__file__).parent  # as setuptools runs it: relative to the project root

FLAGS = ["-std=c11", "-O3", "-fvisibility=hidden", "-Wall", "-Wextra"]
SANITIZE = [
    "-g",
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=undefined",
    "-fno-omit-frame-pointer",
]


def declarations(header: Path) -> str:
    """The headers that this one includes, one after another, without comments and preprocessor lines."""
    parts = re.findall(r'^#include "(.*)"$', header.read_text(encoding="utf-8"), flags=re.MULTILINE)
    text = "\n".join((header.parent / part).read_text(encoding="utf-8") for part in parts)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return "\n".join(line for line in text.splitlines() if not line.startswith("#"))


def builder() -> FFI:
    sanitize = os.environ.get("RULESPEC_SANITIZE") == "1"
    ffi = FFI()
    ffi.cdef(declarations(HERE / "mj.h"))
    ffi.set_source(
        "pyengine.engine._kernel",
        '#include "mj.h"',
        sources=sorted(str(path) for path in HERE.glob("*.c")),
        depends=sorted(str(path) for path in HERE.glob("*.h")),
        include_dirs=[str(HERE)],
        py_limited_api=True,
        extra_compile_args=FLAGS + (SANITIZE if sanitize else []),
        extra_link_args=SANITIZE if sanitize else [],
    )
    return ffi


ffi = builder()
