"""Where the `rulespec` command starts: until it is imported, an interrupt ends the process in silence.

The imports take a while, and nothing that they have not done yet could be left half done.
"""

from __future__ import annotations

import os
import signal
from typing import NoReturn

INTERRUPTED = 130


def main() -> NoReturn:
    signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
    from pyengine import cli

    signal.signal(signal.SIGINT, signal.default_int_handler)
    cli.main()


if __name__ == "__main__":
    main()
