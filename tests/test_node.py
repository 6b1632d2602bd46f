"""Nodes are what frozen dataclasses with slots are."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, dataclass, fields, replace

import pytest

from pyengine.language.node import node


@node
class Leaf:
    value: int
    name: str = "leaf"


@dataclass(frozen=True, slots=True)
class Other:
    value: int
    name: str = "leaf"


@node
class Single:
    """One field."""

    value: Leaf

    def __repr__(self) -> str:
        return f"<{self.value}>"


def test_it_is_made_like_a_dataclass() -> None:
    assert (Leaf(1), Leaf(1, "x"), Leaf(name="y", value=2)) == (Leaf(1, "leaf"), Leaf(1, name="x"), Leaf(2, "y"))
    assert repr(Leaf(1)) == repr(Other(1)).replace("Other", "Leaf")
    assert [f.name for f in fields(Leaf)] == ["value", "name"]
    assert replace(Leaf(1), name="z") == Leaf(1, "z")
    with pytest.raises(TypeError, match="value"):
        Leaf()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="more"):
        Leaf(1, more=2)  # type: ignore[call-arg]


def test_it_is_equal_by_value_to_its_own_kind() -> None:
    assert Leaf(1) != Leaf(2)
    assert Leaf(1) != Other(1)
    assert Single(Leaf(1)) == Single(Leaf(1))
    assert {Leaf(1): "a", Single(Leaf(1)): "b"}[Leaf(1)] == "a"
    assert hash(Leaf(1)) == hash(Other(1))


def test_it_cannot_be_changed() -> None:
    leaf = Leaf(1)
    for change in (lambda: setattr(leaf, "value", 2), lambda: delattr(leaf, "value"), lambda: setattr(leaf, "new", 2)):
        with pytest.raises(FrozenInstanceError):
            change()
    assert not hasattr(leaf, "__dict__")


def test_it_matches_and_is_copied() -> None:
    match Single(Leaf(3)):
        case Single(Leaf(value, name)):
            assert (value, name) == (3, "leaf")
        case _:
            pytest.fail("no match")
    for again in (copy.deepcopy(Leaf(1)), copy.copy(Leaf(1)), pickle.loads(pickle.dumps(Leaf(1)))):
        assert again == Leaf(1)


def test_what_a_class_says_itself_stays() -> None:
    assert repr(Single(Leaf(1))) == "<Leaf(value=1, name='leaf')>"
    assert Single.__doc__ == "One field."
