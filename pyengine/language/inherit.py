"""继承 flattened: the declarations of a chain of files as one table, base first."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from pyengine import resources
from pyengine.language import model as m
from pyengine.language import vocabulary
from pyengine.language.build import build
from pyengine.language.diagnostics import Diagnostic, Related, closest, from_unreadable
from pyengine.language.source import Source, Span, Unreadable, read
from pyengine.language.syntax import keyword_pairs, keywords, parse

MAX_CHAIN = 16
MAX_NAME = 60  # characters; a table of longer names cannot be read

# Declarations of one space may not share a name.  Options, stances and lets are all bare words of
# expressions; fans, their combinations and their choices all stand where fans are listed.
SPACES: dict[type, str] = {
    m.TilesDecl: "tiles",
    m.KindDecl: "kind",
    m.PlayDecl: "play",
    m.OptionDecl: "word",
    m.LetDecl: "word",
    m.ShapeDecl: "shape",
    m.FanDecl: "fan",
    m.PickDecl: "fan",
    m.ComboDecl: "fan",
    m.FlowDecl: "flow",
    m.OrderDecl: "order",
    m.ClaimDecl: "claim",
}
KEYWORDS: dict[type, str] = {
    m.TilesDecl: "牌",
    m.KindDecl: "牌类",
    m.PlayDecl: "打法",
    m.OptionDecl: "选项",
    m.LetDecl: "令",
    m.ShapeDecl: "胡型",
    m.FanDecl: "番种",
    m.PickDecl: "择一",
    m.ComboDecl: "合称",
    m.FlowDecl: "结算",
    m.OrderDecl: "次序",
    m.ClaimDecl: "保证",
}
_DROPPED = {
    "fan": m.FanDecl,
    "shape": m.ShapeDecl,
    "flow": m.FlowDecl,
    "kind": m.KindDecl,
    "pick": m.PickDecl,
    "combo": m.ComboDecl,
    "order": m.OrderDecl,
    "let": m.LetDecl,
    "claim": m.ClaimDecl,
}
# Words of the vocabulary that a declaration in a space would hide.
_HIDDEN_KINDS: dict[str, tuple[str, ...]] = {
    "word": ("flag", "number", "symbol", "role", "seats", "money", "fund", "account", "domain", "function"),
    "kind": ("class", "suit"),
    "fan": ("marker",),
}


# Spaces whose names may be built-in words, with the kinds of these: an English spelling names the same.
_CANONICAL_KINDS: dict[str, tuple[str, ...]] = {
    "tiles": ("suit",),
    "play": ("table_key",),
    "word": ("reserved",),
    "flow": ("event",),
    "order": ("event",),
}


# Spaces whose names may be spelled like keywords: built-in words, and texts in quotation marks.
_FREE = ("tiles", "play", "flow", "order", "claim")


def canonical(name: str, space: str) -> str:
    """The spelling under which a table keeps a name."""
    entry = vocabulary.find(name, *_CANONICAL_KINDS.get(space, ()))
    return entry.word if entry else name


def _keyword(declaration: m.NamedDecl) -> tuple[str]:
    """The keyword of a declaration, as a fact of a diagnostic."""
    word = "声明" if isinstance(declaration, m.OptionDecl) and declaration.stance else KEYWORDS[type(declaration)]
    return (f"keyword.{word}",)


def _said(verb: str, declaration: m.NamedDecl, name: m.Word) -> str:
    """A verb with what it is about, in the language of a declaration."""
    keyword = declaration.span.text.split(maxsplit=1)[0]
    return f"{keyword_pairs()[verb] if keyword.isascii() else verb} {keyword} {name.span.text}"


@dataclass
class Table:
    """All declarations that hold, by space and name, in order."""

    files: list[m.RuleFile] = field(default_factory=list)
    named: dict[str, dict[str, m.NamedDecl]] = field(default_factory=dict)
    settings: dict[str, m.SetDecl] = field(default_factory=dict)
    permits: list[m.PermitDecl] = field(default_factory=list)
    examples: list[m.ExampleDecl] = field(default_factory=list)
    lost: set[str] = field(default_factory=set)  # names of declarations in which a mistake has been reported
    dropped: dict[str, Span] = field(default_factory=dict)  # names that a file took away, and where
    replaced: list[tuple[m.NamedDecl, m.NamedDecl]] = field(default_factory=list)  # by 改: what there was, what is

    def space(self, name: str) -> dict[str, m.NamedDecl]:
        return self.named.setdefault(name, {})

    def find(self, space: str, name: str) -> m.NamedDecl | None:
        return self.space(space).get(canonical(name, space))

    def of(self, kind: type[m.NamedDecl]) -> list[m.NamedDecl]:
        return [d for d in self.space(SPACES[kind]).values() if isinstance(d, kind)]


def read_chain(source: Source, here: Path | None) -> tuple[list[m.RuleFile], list[Diagnostic]]:
    """The file and its bases, the root first, and everything wrong with their text.

    `here` is the folder from which a base given by a path is looked for.
    """
    chain: list[m.RuleFile] = []
    diagnostics: list[Diagnostic] = []
    seen: dict[str, str] = {}
    while True:
        file, mistakes = _read_file(source)
        diagnostics += mistakes
        if file is None:
            break
        chain.append(file)
        seen[_identity(source)] = file.title
        if file.parent is None:
            break
        path, next_here = find(file.parent, here)
        if path is None:
            diagnostics.append(Diagnostic("E209", file.parent_span, {"id": file.parent}, (), meant_ids(file.parent)))
            break
        if path.suffix != ".rule":
            # Messages show lines of rule files; a file from a stranger must not have others shown so.
            diagnostics.append(Diagnostic("E918", file.parent_span, {"path": file.parent}))
            break
        if str(path.resolve()) in seen:
            again = str(path.resolve())
            names = " → ".join([*list(seen.values())[list(seen).index(again) :], seen[again]])
            diagnostics.append(Diagnostic("E210", file.parent_span, {"cycle": names}))
            break
        if len(chain) >= MAX_CHAIN:
            diagnostics.append(Diagnostic("E223", file.parent_span, {"limit": MAX_CHAIN}))
            break
        try:
            source = read(path, _shown(path))
        except Unreadable as error:
            diagnostics.append(replace(from_unreadable(error), span=file.parent_span))
            break
        here = next_here
    return chain[::-1], diagnostics


def read_texts(sources: Iterable[Source]) -> tuple[list[m.RuleFile], list[Diagnostic]]:
    """The files of a chain whose texts are at hand, the root first, and everything wrong with them."""
    chain: list[m.RuleFile] = []
    diagnostics: list[Diagnostic] = []
    for source in sources:
        file, mistakes = _read_file(source)
        diagnostics += mistakes
        if file is not None:
            chain.append(file)
    return chain, diagnostics


@lru_cache(maxsize=16)
def _read_file(source: Source) -> tuple[m.RuleFile | None, tuple[Diagnostic, ...]]:
    """One text as a model; remembered, since most files of a process derive from the same few."""
    tree, mistakes, lost = parse(source)
    if tree is None:
        return None, tuple(mistakes)
    file, more = build(tree, source)
    return replace(file, lost=lost), (*mistakes, *more)


def _identity(source: Source) -> str:
    path = Path(source.name)
    if not path.is_absolute() and not os.path.exists(path):
        path = resources.rulesets() / source.name
    return str(path.resolve())


def _shown(path: Path) -> str:
    """How messages call a file: shipped ones by their place among the rule files."""
    try:
        return str(path.relative_to(resources.rulesets()))
    except ValueError:
        return os.path.normpath(path)


def shipped_ids() -> list[str]:
    """Ids of the rule sets that come with the package."""
    root = resources.rulesets()
    return sorted(path.relative_to(root).with_suffix("").as_posix() for path in root.rglob("*.rule"))


def is_shipped(name: str) -> bool:
    """Whether a name is one of these ids."""
    if any(part in ("", ".", "..") for part in name.split("/")) or Path(name).as_posix() != name:
        return False
    try:
        return (resources.rulesets() / f"{name}.rule").is_file()
    except (OSError, ValueError):  # no name of any file
        return False


def shipped() -> list[tuple[str, str, str]]:
    """(id, title, path) of the rule sets that come with the package; the title is read from the file."""
    found = []
    for name in shipped_ids():
        path, _ = find(name, None)
        assert path
        title = re.search(r'^\s*(?:规则|ruleset)\s+"([^"\n]*)"', read(path).code, re.MULTILINE)
        found.append((name, title[1] if title else name, str(path)))
    return found


def meant_ids(name: str) -> tuple[str, ...]:
    """Ids that an unknown name may have been meant for: as a whole, without its folder, or by the title."""
    ids: dict[str, str] = {}
    for id_, title, _ in shipped():
        ids |= {id_: id_, id_.rpartition("/")[2]: id_, title: id_}
    last = name.replace("\\", "/").rpartition("/")[2].removesuffix(".rule")
    near = [*closest(name, ids), *closest(last, ids)]
    return tuple(dict.fromkeys(ids[word] for word in [*(w for w in (name, last) if w in ids), *near]))[:3]


def find(name: str, here: Path | None) -> tuple[Path | None, Path | None]:
    """The file of an id, or of a path (relative to `here`), and its folder; (None, None) if there is none."""
    if is_shipped(name):
        path = resources.rulesets() / f"{name}.rule"
        return path, path.parent
    for candidate in ((here or Path()) / name, (here or Path()) / f"{name}.rule"):
        try:
            if candidate.is_file():
                return candidate, candidate.parent
        except (OSError, ValueError):
            continue
    return None, None


def flatten(chain: Iterable[m.RuleFile]) -> tuple[Table, list[Diagnostic]]:
    """One table from a chain of files, root first."""
    table = Table()
    diagnostics: list[Diagnostic] = []
    for file in chain:
        _Layer(table, diagnostics).add(file)
    return table, diagnostics


class _Layer:
    """Adds one file to what its bases have declared."""

    def __init__(self, table: Table, diagnostics: list[Diagnostic]) -> None:
        self.table = table
        self.diagnostics = diagnostics
        self.base = {space: dict(names) for space, names in table.named.items()}
        self.own: dict[tuple[str, str], Span] = {}
        self.set_here: dict[str, m.SetDecl] = {}

    def report(self, code: str, span: Span, *related: Related, suggest: Iterable[str] = (), **facts: object) -> None:
        self.diagnostics.append(Diagnostic(code, span, facts, related, tuple(suggest)))

    def add(self, file: m.RuleFile) -> None:
        """Everything that the file declares, in its order."""
        self.table.files.append(file)
        self.table.lost |= file.lost
        # Examples speak of one file's values; what a file derives from it is worth may differ.
        self.table.examples = []
        add: Mapping[type, Callable[..., None]] = {
            m.Override: self.override,
            m.Drop: self.drop,
            m.SetDecl: self.setting,
            m.PermitDecl: self.table.permits.append,
            m.ExampleDecl: self.table.examples.append,
        }
        for declaration in file.declarations:
            add.get(type(declaration), self.declare)(declaration)

    def declare(self, declaration: m.NamedDecl) -> None:
        space = SPACES[type(declaration)]
        for name in declaration.suits if isinstance(declaration, m.TilesDecl) else (declaration.name,):
            if not self.may_name(name, space):
                continue
            key = canonical(name.text, space)
            base = self.base.get(space, {}).get(key)
            if (space, key) in self.own:
                first = self.own[space, key]
                dropped = first == self.table.dropped.get(key) and type(declaration) is type(base)
                change = [_said("改", declaration, name)] if dropped else []
                note = Related(first, "dropped" if dropped else "first")
                self.report("E205", name.span, note, suggest=change, name=name.text)
            elif type(declaration) is type(base):
                change = [_said("改", declaration, name)]
                self.report("E206", name.span, Related(base.name.span, "base"), suggest=change, name=name.text)
            elif base:
                kinds = {"kind": _keyword(base), "own": _keyword(declaration)}
                self.report("E227", name.span, Related(base.name.span, "base"), name=name.text, **kinds)
            else:
                self.table.space(space)[key] = declaration
                self.own[space, key] = name.span

    def may_name(self, name: m.Word, space: str) -> bool:
        """Whether a name may be declared: a keyword never, a built-in word not where it would be hidden."""
        if len(name.text) > MAX_NAME and space != "claim":  # The name of a claim is a sentence.
            self.report("E230", name.span, length=len(name.text), limit=MAX_NAME)
            self.table.lost.add(name.text)
            return False
        if name.text in keywords() and space not in _FREE:
            self.report("E204", name.span, name=name.text)
            self.table.lost.add(name.text)
            return False
        if vocabulary.find(name.text, *_HIDDEN_KINDS.get(space, ())):
            self.report("E208", name.span, name=name.text)
            self.table.lost.add(name.text)
            return False
        return True

    def override(self, override: m.Override) -> None:
        declaration = override.declaration
        if self.owned(declaration.name, SPACES[type(declaration)], type(declaration), "改"):
            space = SPACES[type(declaration)]
            key = canonical(declaration.name.text, space)
            self.table.replaced.append((self.table.space(space)[key], declaration))
            self.table.space(space)[key] = declaration
            self.own[space, key] = declaration.name.span
            if space == "word" and key not in self.set_here:
                self.table.settings.pop(key, None)  # The new declaration brings its own default.

    def drop(self, drop: m.Drop) -> None:
        kind = _DROPPED[drop.kind]
        space = SPACES[kind]
        if self.owned(drop.name, space, kind, "删"):
            key = canonical(drop.name.text, space)
            del self.table.space(space)[key]
            self.table.dropped[key] = drop.name.span
            self.own[space, key] = drop.name.span

    def owned(self, name: m.Word, space: str, kind: type, verb: str) -> bool:
        """Whether the base has such a thing that this file has not touched yet."""
        key = canonical(name.text, space)
        if (space, key) in self.own:
            first = Related(self.own[space, key], "own" if key not in self.base.get(space, {}) else "first")
            code = "E207" if first.note == "own" else "E205"
            self.report(code, name.span, first, name=name.text, verb=(f"keyword.{verb}",))
            return False
        base = self.base.get(space, {})
        if type(base.get(key)) is not kind:
            candidates = [other for other, declared in base.items() if type(declared) is kind]
            suggest = closest(name.text, candidates)
            other = [d for names in self.base.values() for n, d in names.items() if n == name.text]
            places = [Related(d.name.span, "kind", {"kind": _keyword(d)}) for d in other]
            if other and (verb == "改" or type(other[0]) in _DROPPED.values()):
                suggest = (_said(verb, other[0], name),)
            if name.text not in self.table.lost:
                facts = {"name": name.text, "verb": (f"keyword.{verb}",)}
                self.report("E207", name.span, *places[:1], suggest=suggest, **facts)
            self.table.lost.add(name.text)
            return False
        return True

    def setting(self, setting: m.SetDecl) -> None:
        name = setting.name
        options = [n for n, d in self.base.get("word", {}).items() if isinstance(d, m.OptionDecl) and not d.stance]
        if name.text not in options:
            own = self.own.get(("word", name.text))
            related = (Related(own, "own"),) if own else ()
            facts = {"name": name.text, "verb": ("keyword.设",)}
            self.report("E207", name.span, *related, suggest=closest(name.text, options), **facts)
        elif name.text in self.set_here:
            self.report("E205", name.span, Related(self.set_here[name.text].name.span, "first"), name=name.text)
        else:
            self.set_here[name.text] = setting
            self.table.settings[name.text] = setting
