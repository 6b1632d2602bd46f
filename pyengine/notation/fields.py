"""The entries of one mapping of a YAML file: asked for by key and type, mistakes collected.

A reader asks for every key it knows and then calls `done`, which reports the keys that nobody
asked for.  What is wrong is reported once and read as missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pyengine.language import vocabulary
from pyengine.language.diagnostics import MAX_FOUND, Diagnostic, closest
from pyengine.language.source import Span
from pyengine.notation import tiles
from pyengine.notation.yamlfile import Document, Path, wide_colon

SEATS = 4


class Fields:
    """Entries of the mapping at a path of a document."""

    def __init__(self, document: Document, path: Path, found: list[Diagnostic]) -> None:
        self.document = document
        self.path = path
        self.found = found
        self.asked: list[str] = []
        self._known: set[str] = set()  # what is in `asked`; a file may have thousands of keys
        data = document.data
        for step in path:
            data = data[step]
        self.data: dict[str, Any] = data if isinstance(data, dict) else {}
        if not isinstance(data, dict):
            self.wrong("E827", document.span(*path), name=_name(path))
        self.is_mapping = isinstance(data, dict)

    # ---- places and mistakes

    def span(self, key: str, *more: str | int) -> Span:
        return self.document.span(*self.path, key, *more)

    def key_span(self, key: str) -> Span:
        return self.document.key(*self.path, key)

    @property
    def head(self) -> Span:
        """Where the mapping starts."""
        whole = self.document.span(*self.path)
        return Span(whole.source, whole.start, min(whole.end, whole.start + len(whole.text.partition("\n")[0])))

    def wrong(self, code: str, span: Span, suggestions: Sequence[str] = (), **facts: object) -> None:
        if len(self.found) < MAX_FOUND:
            self.found.append(Diagnostic(code, span, facts, (), tuple(suggestions)))

    def wrong_at(self, key: str, code: str, suggestions: Sequence[str] = (), **facts: object) -> None:
        self.wrong(code, self.span(key), suggestions, key=key, **facts)

    def done(self) -> None:
        """Reports the keys that nobody asked for."""
        asked = set(self.asked)
        for key in self.data:
            if key in asked:
                continue
            if len(self.found) >= MAX_FOUND:
                return
            span = self.key_span(key)
            if "：" in key:
                self.found.append(wide_colon(span))
            else:
                known = " ".join(self.asked)
                self.wrong("E821", span, closest(key, self.asked), key=key, known=known)

    # ---- values

    def has(self, key: str) -> bool:
        self._ask(key)
        return self.data.get(key) is not None

    def _ask(self, key: str) -> Any:
        if key not in self._known:
            self._known.add(key)
            self.asked.append(key)
        return self.data.get(key)

    def required(self, key: str) -> bool:
        """Whether a key is there; its absence is reported."""
        if not self.has(key) and self.is_mapping:
            self.wrong("E822", self.key_span(key) if key in self.data else self.head, key=key)
        return self.has(key)

    def text(self, key: str) -> str | None:
        """Text; a number stands for its digits."""
        value = self._ask(key)
        if value is None or isinstance(value, str):
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return self.span(key).text
        self.wrong_at(key, "E823")
        return None

    def integer(self, key: str) -> int | None:
        value = self._ask(key)
        if value is None or (isinstance(value, int) and not isinstance(value, bool)):
            return value
        self.wrong_at(key, "E824", value=_shown(value))
        return None

    def natural(self, key: str) -> int | None:
        """A whole number that is not negative."""
        value = self.integer(key)
        if value is not None and value < 0:
            self.wrong_at(key, "E824", value=value)
            return None
        return value

    def truth(self, key: str) -> bool | None:
        value = self._ask(key)
        if value is None or isinstance(value, bool):
            return value
        entry = vocabulary.find_value(value, "truth") if isinstance(value, str) else None
        if entry is None:
            self.wrong_at(key, "E825", value=_shown(value))
            return None
        return entry.english == "yes"

    def seat(self, key: str) -> int | None:
        value = self._ask(key)
        if value is None:
            return None
        if not is_seat(value):
            if isinstance(value, str) and value.isdigit():
                self.wrong_at(key, "E828", [value], value=f"'{value}'", last=SEATS - 1)
            else:
                self.wrong_at(key, "E828", value=_shown(value), last=SEATS - 1)
            return None
        return int(value)

    def tile(self, key: str) -> int | None:
        text = self.text(key)
        if text is None:
            return None
        kinds = tiles.kinds_in(text)
        if kinds is None:
            self.found += tiles.diagnose(text, self.span(key))
        elif len(kinds) != 1:
            self.wrong_at(key, "E706", text=text, n=len(kinds))
        return kinds[0] if kinds and len(kinds) == 1 else None

    def word(self, key: str, words: dict[str, str], code: str) -> str | None:
        """One of the words; its canonical spelling.  `code` is what any other is."""
        text = self.text(key)
        if text is None:
            return None
        known = words.get(text)
        if known is None:
            canonical = dict.fromkeys(words.values())
            near = closest(text, canonical) or closest(text, words)
            self.wrong_at(key, code, near, word=text, known=" ".join(canonical))
        return known

    def items(self, key: str) -> Iterable[Path]:
        """The paths of the entries of a list."""
        value = self._ask(key)
        if value is None:
            return ()
        if not isinstance(value, list):
            self.wrong_at(key, "E826", value=_shown(value))
            return ()
        return [(*self.path, key, i) for i in range(len(value))]

    def texts(self, key: str, split: bool = False) -> tuple[str, ...] | None:
        """A list of texts; a single text is a list of one, or is `split` at blanks and commas."""
        value = self._ask(key)
        if isinstance(value, str):
            return tuple(re.findall(r"[^\s,，、]+", value)) if split else (value,)
        if value is None:
            return None
        texts = []
        for i, path in enumerate(self.items(key)):
            if isinstance(value[i], str):
                texts.append(value[i])
            else:
                self.wrong("E823", self.document.span(*path), key=key)
        return tuple(texts)

    def tiles(self, key: str) -> tuple[int, ...] | None:
        """The kinds of a list of texts of tiles."""
        texts = self.texts(key)
        if texts is None:
            return None
        kinds: list[int] = []
        is_list = isinstance(self.data[key], list)
        for i, text in enumerate(texts):
            more = tiles.kinds_in(text)
            if more is None:
                self.found += tiles.diagnose(text, self.span(key, i) if is_list else self.span(key))
            kinds += more or ()
        return tuple(kinds)

    def entries(self, key: str) -> dict[str, Any] | None:
        """A mapping as it is."""
        value = self._ask(key)
        if value is None or isinstance(value, dict):
            return value
        self.wrong_at(key, "E827", name=key)
        return None

    def inner(self, key: str) -> Fields | None:
        """The fields of a mapping inside this one."""
        return None if self.entries(key) is None else Fields(self.document, (*self.path, key), self.found)

    def scalars(self, key: str) -> dict[str, str] | None:
        """A mapping whose values are texts, numbers or truth values, as texts."""
        entries = self.entries(key)
        if entries is None:
            return None
        texts = {}
        for name, value in entries.items():
            if isinstance(value, bool):
                texts[name] = _truth_word(value)
            elif isinstance(value, str | int):
                texts[name] = str(value)
            else:
                self.wrong("E823", self.span(key, name), key=name)
        return texts


def is_seat(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < SEATS


def words_of(
    entries: Iterable[vocabulary.Entry], keep: Callable[[vocabulary.Entry], bool] | None = None
) -> dict[str, str]:
    """Every spelling of some words of the vocabulary, with the canonical one."""
    return {s: e.word for e in entries if keep is None or keep(e) for s in (e.word, e.english, *e.aliases)}


def _truth_word(value: bool) -> str:
    english = "yes" if value else "no"
    return next(entry.word for entry in vocabulary.values_of("truth") if entry.english == english)


def _name(path: Path) -> tuple[str]:
    return (".".join(map(str, path)) or "cases.whole",)


def _shown(value: object) -> str:
    return str(value) if isinstance(value, str | int) else type(value).__name__
