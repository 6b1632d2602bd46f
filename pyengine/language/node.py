"""Nodes of trees: frozen records, as `dataclass(frozen=True, slots=True)` makes them.

There are nearly a hundred kinds of them.  For each a dataclass compiles seven functions, which altogether takes longer
than to read a rule file; here one is compiled, and the others are shared.  To `dataclasses.fields` and `replace` they
are dataclasses.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, dataclass, fields
from operator import attrgetter
from typing import Any, NoReturn, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True)
def node(cls: type[T]) -> type[T]:
    """Makes a class a kind of node.  Defaults are values that may be shared."""
    names = list(cls.__annotations__)
    if not cls.__doc__:
        cls.__doc__ = f"{cls.__name__}({', '.join(names)})"  # Else a dataclass looks for the signature, at length.
    made: Any = dataclass(init=False, repr=False, eq=False, slots=True)(cls)
    for name, function in _functions(made, tuple(names)).items():
        if name in made.__dict__:
            continue  # the class's own
        function.__qualname__ = f"{made.__qualname__}.{name}"
        setattr(made, name, function)
    made.__setattr__, made.__delattr__ = _refuse, _refuse
    found: type[T] = made
    return found


def _functions(made: Any, names: tuple[str, ...]) -> dict[str, Callable[..., Any]]:
    defaults = {field.name: field.default for field in fields(made) if field.default is not MISSING}
    given = ", ".join(f"{name}=_defaults[{name!r}]" if name in defaults else name for name in names)
    steps = "; ".join(f"_set_{name}(self, {name})" for name in names)
    space: dict[str, Any] = {f"_set_{name}": getattr(made, name).__set__ for name in names}
    own: dict[str, Any] = {}
    exec(f"def __init__(self, {given}): {steps}", space | {"_defaults": defaults}, own)
    values = attrgetter(*names) if len(names) > 1 else lambda self: (getattr(self, names[0]),)

    def __eq__(self: Any, other: object) -> Any:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    def __hash__(self: Any) -> int:
        return hash(values(self))

    def __repr__(self: Any) -> str:
        told = zip(names, values(self), strict=True)
        return f"{type(self).__qualname__}({', '.join(f'{name}={value!r}' for name, value in told)})"

    def __reduce__(self: Any) -> tuple[Any, ...]:
        return type(self), values(self)

    return own | {"__eq__": __eq__, "__hash__": __hash__, "__repr__": __repr__, "__reduce__": __reduce__}


def _refuse(self: object, name: str, *_: object) -> NoReturn:
    raise FrozenInstanceError(f"{type(self).__name__}.{name} cannot be changed")
