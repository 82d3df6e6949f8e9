"""Nobody learns anything (rules, section 10): what one is sent is the same whatever others hold.

A round is played by a script, then once more with the same script after every card that its viewer never got
to see has changed places with another such card. Bytes, their pieces and their times must not differ.
"""

from __future__ import annotations

import random
from typing import Any

import pytest
import trio

from engine.actions import Action, Do, action_to_data
from engine.cards import CARDS
from engine.round import Round
from engine.rules import Rules
from engine.state import Phase
from server.config import Config

from .world import arrange, begin, world

VIEWER = 0
SETTINGS = {"grace": 100, "turn_time": 2000, "claim_time": 1000, "opening_time": 2000}
RULES: list[dict[str, Any]] = [
    {"preset": "dobon", "hand": 3},
    {"preset": "pageone", "hand": 3, "answer": "may", "dobon_min": 1},
    {"preset": "dobon", "claims": "last", "counter": "ask", "jokers": 2, "hand": 4},
]


class Script:
    """A random deal, and what the seats do in it: each step an action or None, the time running out."""

    def __init__(self, rules: dict[str, Any], seats: int, chance: random.Random) -> None:
        self.rules = Rules.from_data(rules)
        deck = list(range(52 + self.rules.jokers))
        chance.shuffle(deck)
        size = self.rules.hand
        self.hands = [deck[seat * size : (seat + 1) * size] for seat in range(seats)]
        rest = [card for card in deck[seats * size :] if card < 52]
        self.top, self.stock = rest[0], rest[1:]
        self.phase = Phase.OPENING if self.rules.opening == "race" else Phase.TURN
        self.steps: list[Action | None] = []
        self.could_claim: list[int] = []
        self.seen = {self.top, *self.hands[VIEWER]}
        self._play(chance)

    def round(self) -> Round:
        return Round.setup(self.rules, self.hands, [self.top], self.stock, phase=self.phase)

    def _play(self, chance: random.Random) -> None:
        round = self.round()
        for _ in range(14):
            actions = [
                action
                for action in round.legal_actions()
                if action.do is not Do.DOBON and round.hands[action.seat].bit_count() > 1
            ]
            opener = round.phase is Phase.OPENING
            plays = [action for action in actions if action.do is Do.PLAY]
            if not actions or (opener and not plays):
                return
            step = chance.choice(plays if opener else actions) if chance.random() < 0.95 else None
            if step is None and opener:
                continue
            do(round, step)
            self.seen |= set(round.discards) | {c for c in range(54) if round.hands[VIEWER] >> c & 1}
            if round.phase is Phase.OVER or round.phase is Phase.CLAIM:
                return
            self.steps.append(step)
            self.could_claim.append(round.claimants())

    def redealt(self, chance: random.Random) -> Script:
        """The same with every unseen card somewhere else; if possible so that others could have claimed."""
        for _ in range(300):
            other = self._redealt(chance)
            if other.could_claim != self.could_claim:
                break
        return other

    def _redealt(self, chance: random.Random) -> Script:
        other = object.__new__(Script)
        other.__dict__.update(self.__dict__)
        hidden = [card for hand in self.hands[1:] for card in hand if card not in self.seen]
        hidden += [card for card in self.stock if card not in self.seen]
        mixed = hidden[:]
        chance.shuffle(mixed)
        moved = dict(zip(hidden, mixed, strict=True))
        other.hands = [[moved.get(card, card) for card in hand] for hand in self.hands]
        other.stock = [moved.get(card, card) for card in self.stock]
        round = other.round()
        other.could_claim = []
        for step in self.steps:
            do(round, step)
            other.could_claim.append(round.claimants())
        return other


def do(round: Round, step: Action | None) -> None:
    if step is not None:
        round.apply(step)
        return
    turn = round.turn
    round.expire()
    if round.turn == turn and round.drawn is not None:
        round.expire()


async def stream(script: Script, rules: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the viewer and a spectator are sent, in pieces with their times, and a view at the end."""
    texts = [" ".join(CARDS[card] for card in hand) for hand in script.hands]
    stock = " ".join(CARDS[card] for card in script.stock)
    arrange(monkeypatch, texts, CARDS[script.top], stock, phase=script.phase)
    names = ["A", "B", "C", "D"][: len(texts)]
    async with world(Config(seed=b"secrecy")) as server:
        callers = await server.table(names, rules=rules, settings=SETTINGS)
        spectator = await server.watcher("S", callers[0].table)
        await begin(callers)
        for step in script.steps:
            table = server.core.lobby.tables[callers[0].table]
            assert table.game is not None
            assert table.game.live is not None
            if step is None:
                due = table.game.next()
                assert due is not None
                await trio.sleep((due - server.network.now()) / 1e9 + 0.01)
                continue
            data = action_to_data(step)
            fields = {key: data[key] for key in ("card", "suit", "call", "throw") if key in data}
            teller = table.game.live.teller
            on = teller.claim_on if step.do in (Do.DOBON, Do.WAIVE) else teller.act_on
            callers[step.seat].request(step.do.word, on=on, **fields)
            await trio.sleep(0.15)
        for caller in (callers[VIEWER], spectator):
            await caller.ask("sync")
            await caller.next(t="view")
        return [callers[VIEWER].raw, spectator.raw]


@pytest.mark.parametrize("kind", range(len(RULES)))
async def test_hidden_cards_change_nothing(
    kind: int, autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(kind)
    differed = rounds = 0
    while rounds < 70:
        script = Script(RULES[kind], chance.choice([2, 3, 4]), chance)
        if not script.steps:
            continue
        other = script.redealt(chance)
        rounds += 1
        differed += script.could_claim != other.could_claim
        begun = trio.current_time()
        one = await stream(script, RULES[kind], monkeypatch)
        between = trio.current_time()
        two = await stream(other, RULES[kind], monkeypatch)
        assert _since(one, begun) == _since(two, between)
    assert differed > 30


def _since(streams: list[Any], begun: float) -> list[Any]:
    return [[(round((at - begun) * 1e6), data) for at, data in pieces] for pieces in streams]


async def test_the_stream_of_a_seat_holds_no_card_of_another(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every card that a spectator was sent lies, or lay, on the pile; a seat was sent its own hand too."""
    chance = random.Random(7)
    script = Script(RULES[0], 3, chance)
    viewer, spectator = [
        # AS stands in nobody's rules here, so every text of a card is a card.
        {text for text in CARDS if b"\xa2" + text.encode() in b"".join(data for _, data in sent)}
        for sent in await stream(script, RULES[0], monkeypatch)
    ]
    pile = {CARDS[script.top]} | {CARDS[step.card] for step in script.steps if step and step.card is not None}
    assert spectator <= pile
    assert {CARDS[card] for card in script.hands[VIEWER]} <= viewer <= {CARDS[card] for card in script.seen}
