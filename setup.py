"""What pyproject.toml cannot say: the kernel is built by cffi, and the parser's and the words' tables beside it."""

import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent


class BuildKernel(build_ext):
    """Builds the extension and saves tables of the grammar and the words where the package looks for them."""

    def run(self) -> None:
        super().run()
        sys.path.insert(0, str(ROOT))
        from pyengine import resources
        from pyengine.language.syntax import write_tables

        in_place = self.inplace or getattr(self, "editable_mode", False)
        package = ROOT if in_place else Path(self.build_lib)
        data = package / "pyengine" / "data"
        write_tables(data / "parser.tables")
        resources.save("words.yaml", data / resources.saved("words.yaml").name)


setup(cffi_modules=["csrc/build.py:ffi"], cmdclass={"build_ext": BuildKernel})
