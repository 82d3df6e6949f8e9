"""docs/rules.md in both languages says the same fields, ranges and presets as the engine, and the examples
of its section 8 are what the engine scores."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.cards import CARDS, RANKS, VALUE
from engine.points import Outcome, dobon_outcome, points_of
from engine.rules import EFFECTS, FIELDS, MAX_SEATS, MIN_SEATS, PRESETS, BadRules, Flag, Number, Rules, Word
from engine.tables import tables_for

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGES = [pytest.param(DOCS / name, id=name) for name in ("rules.md", "rules.ja.md")]
YES_NO = {"yes": True, "no": False, "はい": True, "いいえ": False}


def tables(text: str) -> Iterator[list[list[str]]]:
    """The tables of a page, each as its rows of cells, the header first."""
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in block.splitlines()]
        yield [rows[0], *rows[2:]]


def field_table(page: Path) -> dict[str, tuple[str, str, str]]:
    """What the page's table of fields says of each: its values, `dobon`, `pageone`."""
    found = [rows for rows in tables(page.read_text("utf-8")) if rows[0][2:4] == ["`dobon`", "`pageone`"]]
    assert len(found) == 1
    return {row[0].strip("`"): (row[1], row[2], row[3]) for row in found[0][1:]}


def value_of(field: str, cell: str) -> object:
    """The plain data that a cell of a preset stands for."""
    if field == "effects":
        return dict(entry.split(" ") for entry in re.split(r",\s*|、", cell))
    if isinstance(FIELDS[field], Flag):
        return YES_NO[cell]
    return int(cell) if isinstance(FIELDS[field], Number) else cell.strip("`")


@pytest.mark.parametrize("page", PAGES)
def test_the_fields_stand_in_the_order_of_the_engine(page: Path) -> None:
    assert list(field_table(page)) == list(FIELDS)


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("field", FIELDS)
def test_the_values_of_a_field(page: Path, field: str) -> None:
    cell = field_table(page)[field][0]
    kind = FIELDS[field]
    if isinstance(kind, Number):
        assert [int(number) for number in re.split(r" to |〜", cell)] == [kind.low, kind.high]
    elif isinstance(kind, Word):
        assert tuple(re.findall(r"`(\w+)`", cell)) == kind.words
    elif isinstance(kind, Flag):
        assert [YES_NO[word] for word in re.split(r", |、", cell)] == [True, False]


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("preset", PRESETS)
def test_the_presets(page: Path, preset: str) -> None:
    column = 1 + list(PRESETS).index(preset)
    said = {field: value_of(field, row[column]) for field, row in field_table(page).items()}
    assert said == Rules.preset(preset).to_data()


@pytest.mark.parametrize("page", PAGES)
def test_every_effect_is_explained(page: Path) -> None:
    names = {*EFFECTS} - {f"attack{n}" for n in range(2, 9)}
    rows = [row[0] for table in tables(page.read_text("utf-8")) for row in table if len(row) == 2]
    assert names <= set(re.findall(r"`(\w+)`", " ".join(rows)))


@pytest.mark.parametrize("page", PAGES)
def test_the_sources_name_each_field_once_and_by_whether_the_presets_differ(page: Path) -> None:
    pair = [Rules.preset(name).to_data() for name in PRESETS]
    differ = [field for field in FIELDS if pair[0][field] != pair[1][field]]
    agree = [field for field in FIELDS if field not in differ]
    rows = [row for table in tables(page.read_text("utf-8")) if table[0][0] == "" for row in table[1:]]
    assert [re.findall(r"`(\w+)`", row[1]) for row in rows] == [differ, agree]


@pytest.mark.parametrize("page", PAGES)
def test_sections_have_the_numbers_that_others_refer_to(page: Path) -> None:
    assert re.findall(r"^## (\d+)\. ", page.read_text("utf-8"), re.MULTILINE) == [
        str(n) for n in range(1, 12)
    ]


def test_the_two_languages_have_the_same_tables_and_code_words() -> None:
    """What is written as code is the same for all readers: what one page lacks shows here."""
    english, japanese = ((DOCS / name).read_text("utf-8") for name in ("rules.md", "rules.ja.md"))
    shapes = [[[len(row) for row in table] for table in tables(text)] for text in (english, japanese)]
    assert shapes[0] == shapes[1]
    unbroken = (re.sub(r"\n +", " ", text) for text in (english, japanese))
    words = [set(re.findall(r"`([^`]+)`", text.replace("\n", " "))) for text in unbroken]
    assert words[0] == words[1]


def test_the_one_deal_that_leaves_too_little_is_the_one_refused() -> None:
    refused = []
    for seats in range(MIN_SEATS, MAX_SEATS + 1):
        for hand in range(3, 8):
            try:
                Rules.from_data({"hand": hand}, seats=seats)
            except BadRules as bad:
                refused.append((seats, hand, bad.field))
    assert refused == [
        (seats, hand, "hand")
        for seats in range(MIN_SEATS, MAX_SEATS + 1)
        for hand in range(3, 8)
        if 52 - seats * hand - 1 < 2
    ]


def scored(rules: Rules, card: str, claims: list[int], hands: list[str]) -> list[int]:
    """Points when `card` of seat 0 was claimed by `claims` in order; hands are written as their ranks."""
    counts = [sum(0 if rank == "X" else VALUE[RANKS.index(rank)] for rank in hand) for hand in hands]
    outcome = (
        dobon_outcome(tables_for(rules, len(hands)), CARDS.index(card), 0, claims)
        if claims
        else Outcome("out", [0], [])
    )
    return points_of(rules, outcome, counts)


FOUR = ["", "", "", ""]


@pytest.mark.parametrize(
    ("row", "rules", "card", "claims", "hands", "points"),
    [
        (1, {}, "7H", [1], ["59", "34", "K", "K"], [28, 0, 0, 0]),
        (2, {}, "7H", [1, 0], ["34", "34", "K", "K"], [0, 21, 0, 0]),
        (3, {}, "KS", [2], ["", "K", "67", "K"], [26, 0, 0, 0]),
        (4, {"jokers": 1}, "4C", [], ["", "K2", "Q", "X"], [0, 15, 12, 0]),
        (5, {"claims": "all"}, "9D", [1, 3], ["A", "9", "K", "45"], [37, 0, 0, 0]),
        (6, {"claims": "all"}, "9D", [1, 3, 0], ["9", "9", "K", "45"], [0, 27, 0, 27]),
        (7, {"claims": "last"}, "8D", [1, 3], ["5", "8", "K", "8"], [0, 24, 0, 0]),
        (
            8,
            {"claims": "last", "chain_loser": "discarder"},
            "8D",
            [1, 3],
            ["5", "8", "K", "8"],
            [21, 0, 0, 0],
        ),
        (9, {"double_effect": True}, "8S", [1], ["4", "53", "K", "K"], [40, 0, 0, 0]),
        (10, {"claims": "last", "scoring": "wins"}, "8D", [1, 3], FOUR, [0, -1, 0, 1]),
        (11, {"claims": "last", "scoring": "chain"}, "8D", [1, 3], FOUR, [0, -2, 0, 2]),
        (12, {"claims": "last", "scoring": "chain"}, "8D", [1, 3, 0], FOUR, [3, 0, 0, -3]),
        (13, {"scoring": "wins"}, "8D", [], FOUR, [1, 0, 0, 0]),
    ],
)
@pytest.mark.parametrize("page", PAGES)
def test_the_examples_of_points(
    page: Path,
    row: int,
    rules: dict[str, object],
    card: str,
    claims: list[int],
    hands: list[str],
    points: list[int],
) -> None:
    assert scored(Rules.from_data(rules, seats=4), card, claims, hands) == points
    examples = [table for table in tables(page.read_text("utf-8")) if "**28**" in table[1][1]]
    assert len(examples) == 1
    assert len(examples[0]) - 1 == 13
    said = re.findall(r"\*\*(.*?)\*\*", examples[0][row][1])
    numbers = {int(number.replace("−", "-")) for number in said}
    assert numbers | {0} == {*points, 0}
    assert card in examples[0][row][0] or row in (2, 6, 8) or row >= 10
