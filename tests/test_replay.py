"""Records of play: what is no record is refused at its place, and nothing is settled from it."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from test_play import played

import pyengine
from pyengine.cli import rulespec
from pyengine.language.diagnostics import InputError, render
from pyengine.notation.records import parse_move
from pyengine.notation.tiles import here

RULES = pyengine.load("sichuan/xuezhan")
GAME = played(RULES, 6)
RECORD = GAME.record()


def codes(record: dict[str, Any]) -> list[str]:
    with pytest.raises(InputError) as caught:
        RULES.settle(record)
    for lang in ("zh", "en"):
        assert render(caught.value.diagnostics, lang)  # type: ignore[arg-type]
    return [wrong.code for wrong in caught.value.diagnostics]


def changed(**parts: Any) -> dict[str, Any]:
    return {**copy.deepcopy(RECORD), **parts}


@pytest.mark.parametrize("n", [0, 1, 2, 5, 20, -1, -2, -3])
def test_a_truncated_record_is_refused(n: int) -> None:
    moves = RECORD["moves"]
    cut = moves[:n] if n else []
    found = codes(changed(moves=cut))
    assert found in (["E797"], ["E753"])


def test_a_reordered_record_is_refused() -> None:
    rng = random.Random(1)
    moves = RECORD["moves"]
    for _ in range(40):
        i = rng.randrange(len(moves) - 1)
        swapped = [*moves[:i], moves[i + 1], moves[i], *moves[i + 2 :]]
        if swapped != moves and not all("过" in m or "胡" in m for m in moves[i : i + 2]):
            assert codes(changed(moves=swapped))[0].startswith("E7")


def test_moves_after_the_end_are_refused() -> None:
    assert codes(changed(moves=[*RECORD["moves"], "0 摸 1m"])) == ["E798"]


def test_another_wall_is_refused() -> None:
    wall = RECORD["wall"]
    assert codes(changed(wall=wall[:-2] + "9s"))[0] in ("E784", "E765", "E754")
    assert codes(changed(wall="123m")) == ["E784"]


def test_a_forged_deal_is_refused() -> None:
    deal = dict(RECORD["deal"])
    deal["0"], deal["1"] = deal["1"], deal["0"]
    assert codes(changed(deal=deal))[0].startswith("E7")
    assert codes(changed(deal={**RECORD["deal"], "0": "1m"}))[0] == "E787"
    five = {**RECORD["deal"], str(RECORD["dealer"]): "11111222233334m"}
    assert "E765" in codes(changed(deal=five))
    assert codes({k: v for k, v in RECORD.items() if k not in ("deal", "wall")}) == ["E822"]
    assert codes({k: v for k, v in RECORD.items() if k != "deal"}) == ["E822"]


def test_what_a_record_says_of_the_end_must_be_true() -> None:
    deltas = [RECORD["deltas"][0] + 1, *RECORD["deltas"][1:]]
    assert codes(changed(deltas=deltas)) == ["E767"]
    states = dict.fromkeys("0123", "花猪")
    assert set(codes(changed(states=states))) == {"E766"}
    assert codes(changed(next_dealer=(GAME.settle().next_dealer or 0) + 1)) == ["E768"]


def test_steps_of_the_opening_must_be_there_and_legal() -> None:
    assert codes({k: v for k, v in RECORD.items() if k != "void"}) == ["E756"]
    assert codes({k: v for k, v in RECORD.items() if k != "swap"}) == ["E756"]
    assert codes(changed(void={**RECORD["void"], "2": "z"})) == ["E733"]
    assert codes(changed(void={key: RECORD["void"][key] for key in "013"})) == ["E756"]
    assert codes(changed(swap={**RECORD["swap"], "2": "1m"})) == ["E758"]
    assert codes(changed(swap={**RECORD["swap"], "2": "1m2p3s"})) == ["E757"]
    assert codes(changed(swap={**RECORD["swap"], "direction": "上"})) == ["E760"]
    with pytest.raises(InputError) as caught:
        pyengine.load("dazhong/standard").settle(
            {**pyengine.load("dazhong/standard").new_game(1).record(), "void": {"0": "m"}}
        )
    assert caught.value.diagnostics[0].code == "E755"


def test_a_seat_names_one_suit(tmp_path: Path) -> None:
    """000 各自选定一门: a second one would be a second entry, which no file of records may have."""
    path = tmp_path / "hand.yaml"
    text = json.dumps({**RECORD, "void": {"0": "m"}}, ensure_ascii=False)
    path.write_text("record: " + text.replace('{"0": "m"}', "{0: s, 1: m, 2: p, 2: m, 3: s}"), "utf-8")
    result = run("replay", "sichuan/xuezhan", str(path), "--json")
    assert result.exit_code == 2
    assert json.loads(result.output)["error"][0]["code"] == "E809"


def test_horses_are_the_last_of_the_wall() -> None:
    rules = pyengine.load("sichuan/xuezhan", 马数=2)
    game = played(rules, 3)
    record = game.record()
    assert rules.settle(record).horses == game.settle().horses
    assert len(record["horses"]) == 2
    for horses, code in ((record["horses"][:1], "E785"), ([], "E785")):
        with pytest.raises(InputError) as caught:
            rules.settle({**record, "horses": horses})
        assert caught.value.diagnostics[0].code == code


def test_a_whole_wall_deals_itself() -> None:
    from pyengine.engine.dealing import deal_wall, shuffled
    from pyengine.notation import tiles

    dealer, _, wall = shuffled(RULES.playbook, 6)
    assert dealer == RECORD["dealer"]
    whole = {key: value for key, value in RECORD.items() if key != "deal"} | {"wall": tiles.compact(wall)}
    assert RULES.settle(whole).as_json() == GAME.settle().as_json()
    assert RULES.settle({**whole, "deal": RECORD["deal"]}).as_json() == GAME.settle().as_json()
    hands, rest, _ = deal_wall(RULES.playbook, dealer, wall)
    assert [sum(hand) for hand in hands].count(13) == 3
    assert len(rest) == 55
    other = {**RECORD["deal"], "0": RECORD["deal"]["1"], "1": RECORD["deal"]["0"]}
    assert "E786" in codes({**whole, "deal": other}) or "E787" in codes({**whole, "deal": other})


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "E761"),
        ("打 3s", "E761"),
        ("7 打 3s", "E828"),
        ("0 扔 3s", "E762"),
        ("0 打", "E764"),
        ("0 打 33s", "E764"),
        ("0 吃 3s", "E764"),
        ("0 吃 891s", "E764"),
        ("0 吃 123z", "E764"),
        ("0 吃 567z", "E764"),
        ("0 打 3x", "E702"),
        ("0 胡 3s 天上", "E763"),
        ("9" * 2000, "E761"),
    ],
)
def test_what_is_no_move(text: str, code: str) -> None:
    move, wrong = parse_move(text, here(text, "moves"))
    assert move is None
    assert wrong
    assert wrong.code == code


def test_moves_in_either_language() -> None:
    for chinese, english in (
        ("0 打 3s", "0 discard 3s"),
        ("1 吃 345m", "1 chow 345m"),
        ("2 巴杠 2222p 即时", "2 added_kong 2p at_once"),
        ("3 自摸 5p 杠后", "3 self_draw 5p after_kong"),
        ("3 胡", "3 win"),
    ):
        assert parse_move(chinese, here("x"))[0] == parse_move(english, here("x"))[0] or chinese.startswith("3")


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_no_record_makes_the_engine_stumble(data: st.DataObject) -> None:
    """Whatever is changed in a record, it settles or says why not."""
    record = copy.deepcopy(RECORD)
    for _ in range(data.draw(st.integers(1, 3))):
        key = data.draw(st.sampled_from([*record, "states", "next_dealer"]))
        match data.draw(st.integers(0, 3)):
            case 0:
                record.pop(key, None)
            case 1:
                record[key] = data.draw(
                    st.one_of(st.none(), st.integers(-2, 99), st.text(max_size=8), st.lists(st.text(max_size=6)))
                )
            case 2:
                record["moves"] = list(record.get("moves") or ())
                if isinstance(record["moves"], list) and record["moves"]:
                    place = data.draw(st.integers(0, len(record["moves"]) - 1))
                    record["moves"][place] = data.draw(
                        st.sampled_from(["0 胡", "1 过", "2 摸", "3 打 1m", "0 碰 5p", 7, None])
                    )
            case _:
                record[key] = data.draw(st.dictionaries(st.sampled_from(["0", "1", "9", "x"]), st.text(max_size=5)))
    try:
        RULES.settle(record)
    except InputError as error:
        told = render(error.diagnostics, "zh")
        assert told


# ---- the command -------------------------------------------------------------------------------


def run(*arguments: str) -> Any:
    return CliRunner().invoke(rulespec, arguments)


def test_records_one_a_line(tmp_path: Path) -> None:
    path = tmp_path / "hands.jsonl"
    games = [played(RULES, seed) for seed in range(3)]
    path.write_text("\n".join(json.dumps(game.record(), ensure_ascii=False) for game in games) + "\n", "utf-8")
    result = run("replay", "sichuan/xuezhan", str(path), "--json")
    assert result.exit_code == 0
    told = json.loads(result.output)["games"]
    assert [game["deltas"] for game in told] == [list(game.settle().deltas) for game in games]
    lines = path.read_text("utf-8").splitlines()
    broken = json.loads(lines[1])
    broken["moves"][10:12] = reversed(broken["moves"][10:12])
    path.write_text("\n".join([lines[0], json.dumps(broken, ensure_ascii=False), lines[2]]), "utf-8")
    result = run("replay", "sichuan/xuezhan", str(path))
    assert result.exit_code == 1
    assert "hands.jsonl:2:" in result.output
    for bad in ("[1]", "{", "nonsense"):
        path.write_text(bad, "utf-8")
        result = run("replay", "sichuan/xuezhan", str(path))
        assert result.exit_code == 2


def test_the_first_illegal_move_is_named_with_the_rule(tmp_path: Path) -> None:
    path = tmp_path / "hand.yaml"
    moves = list(RECORD["moves"])
    place = next(i for i, move in enumerate(moves) if "打" in move)
    deal = RECORD["deal"][str(RECORD["dealer"])]
    moves[place] = f"{RECORD['dealer']} 吃 345m"
    path.write_text("record: " + json.dumps({**RECORD, "moves": moves}, ensure_ascii=False), "utf-8")
    result = run("replay", "sichuan/xuezhan", str(path), "--json")
    assert deal
    assert result.exit_code == 1
    (wrong,) = json.loads(result.output)["error"]
    assert wrong["code"] == "E795"
    assert wrong["line"] == 1
    assert wrong["column"] > 1
    assert "打" in wrong["message"]


def test_a_claim_that_nobody_could_make_is_told_why_not() -> None:
    """The play has gone on from such a discard, but what was against the claim is what the writer wants to know."""
    rules = pyengine.load("sichuan/xuezhan", 换三张="不换")
    deal = {
        "0": "23456789m124589p",
        "1": "55m18p123456789s",
        "2": "235678m1345689s",
        "3": "2369m123456789p",
    }
    record = {"dealer": 0, "deal": deal, "void": {"0": "s", "1": "m", "2": "p", "3": "s"}}

    def told(*moves: str) -> str:
        with pytest.raises(InputError) as caught:
            rules.settle({**record, "moves": list(moves)})
        return render(caught.value.diagnostics, "en")

    assert "该张 是 定缺牌" in told("0 打 5m", "1 碰 5m")
    assert "E752" in told("0 打 5m", "2 吃 567m")
    assert "it holds 235678m1345689s" in told("0 打 5m", "2 碰 5m")
    assert "E796" in told("0 打 5m", "0 碰 5m")
    assert "E795" in told("0 打 5m", "1 胡 9s")  # That tile does not lie there: its draw is missing.
    # Who has declined in an earlier turn has not answered now.
    deal |= {"1": "1238p123456789s", "2": "255678m1345689s"}
    assert "E793" in told("0 打 5m", "2 过", "1 摸 1s", "1 打 1s", "2 摸 2s", "2 打 9m")
    assert "E759" in told("0 打 5m", "2 过", "2 碰 5m")
    # What is said of a move is told in the words of records.
    deal |= {"0": "2356789m1235689p", "2": "2356789m345689s", "3": "123456m1234478p"}
    assert "says 末张; what follows from the play is 点炮 首巡" in told("0 打 9p", "3 胡 9p last_tile")


def test_files_that_hold_no_record(tmp_path: Path) -> None:
    for name, text in (("a.yaml", "games: []"), ("b.yaml", "x: 1"), ("c.jsonl", "")):
        (tmp_path / name).write_text(text)
        assert run("replay", "sichuan/xuezhan", str(tmp_path / name)).exit_code == 2
    assert run("replay", "sichuan/xuezhan", str(tmp_path)).exit_code == 2
    assert run("replay", "sichuan/xuezhan", str(tmp_path / "none.jsonl")).exit_code == 2
