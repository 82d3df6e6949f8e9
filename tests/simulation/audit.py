"""What must hold whenever the server rests, and of everything that it shows.

The books have to agree: who is connected, who has a session, who sits where, what waits for an answer, what
time is waited for. A table's round is what the record makes of it, and a view is the round as one may see it.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING, Any

from engine.cards import CARDS, cards_of, mask_of, value_of
from engine.round import Round
from engine.state import Phase
from engine.trace import state_changes
from server.connection import UNSENT
from server.core import Core
from server.game import Game
from server.harvest import Harvester
from server.table import Table
from server.views import view_of

from .chronicle import Chronicle, asked_of, demand

if TYPE_CHECKING:
    from server.limits import Limits

MOST_HELD = 5000
"""Frames: one read may bring thousands of the smallest."""
MOST_WITHHELD = 20_000
MOST_TIMERS = 2000


class Audit:
    """Looks at a server. Raises `Broken`."""

    def __init__(self, core: Core, harvester: Harvester, chronicle: Chronicle, limits: Limits) -> None:
        self._core = core
        self._harvester = harvester
        self._chronicle = chronicle
        self._limits = limits
        self._chance = random.Random(0)

    def look(self) -> None:
        """At everything, after a step."""
        core, harvester = self._core, self._harvester
        for table in core.lobby.tables.values():
            self._look_at(table)
        for peer in harvester._peers.values():
            demand(peer.unsent <= 3 * UNSENT, "a connection has too much unsent:", peer.unsent)
        demand(len(harvester._held) < MOST_HELD, "too many frames are held")
        demand(len(core.gate._waiting) < MOST_WITHHELD, "too much is withheld")
        demand(len(core.timers._heap) < MOST_TIMERS, "too much time is waited for")
        demand(not core.visitors._slow, "somebody too slow is still there")
        self._look_at_connections()
        self._look_at_sessions()

    def _look_at_connections(self) -> None:
        visitors, limits = self._core.visitors, self._limits
        peers = set(self._harvester._peers.values())
        known = visitors._connections
        demand(peers >= known.keys(), "connections are remembered that are gone")
        counted = visitors._doors.connections
        demand(counted == len(known), "connections are counted that are not there:", counted, len(known))
        # A newcomer is looked at, and turned away, within a step.
        demand(len(known) <= limits.connections, "too many are let in:", len(known))
        demand(len(peers) <= limits.connections + limits.lingering, "too many are on their way out")
        timed = self._harvester._begun.keys() | self._harvester._parting.keys()
        demand(peers >= timed, "connections are timed that are gone")

    def _look_at_sessions(self) -> None:
        core, sessions = self._core, self._core.visitors.sessions
        demand(len(sessions) <= self._limits.sessions, "too many sessions:", len(sessions))
        tables = core.lobby.tables
        demand(len(tables) <= self._limits.tables, "too many tables:", len(tables))
        waiting: Counter[int | None] = Counter()
        for table in tables.values():
            live = None if table.game is None else table.game.live
            waiting.update(asked.player for asked in (live.held if live is not None else ()))
        for session in sessions:
            connection = session.connection
            if connection is not None:
                demand(connection.session is session, "a connection is another session's")
                demand(connection.peer in core.visitors._connections, "a session's connection is gone")
            else:
                demand(session.gone_at is not None, "a session is alone, and nobody knows since when")
                demand(session.forgetting, "nobody will ever forget", session.name)
            seats = 0
            for number, table in session.tables.items():
                demand(tables.get(number) is table, "somebody is at a table that is gone")
                member = table.broadcast.members.get(session.player)
                demand(member is not None, "somebody is at a table that does not know them")
                seats += member is not None and member.seat is not None
            demand(session.seats == seats, "seats are counted that are not there:", session.seats, seats)
            undecided = len(session.requests.undecided)
            demand(undecided == waiting[session.player], "never to be answered:", undecided, session.name)

    def _look_at(self, table: Table) -> None:
        broadcast, game = table.broadcast, table.game
        demand(not broadcast._frames and not broadcast._own, "something was said and not sent")
        for player, member in broadcast.members.items():
            session = member.session
            demand(session.player == player, "a member is another session")
            demand(session.tables.get(table.number) is table, "a member's session knows of no such table")
            if member.seat is not None:
                seat = table.seats[member.seat]
                demand(seat.player == player and seat.seated, "a seat is another's:", seat)
        seated = {seat.player for seat in table.seats if seat.seated}
        members = {player for player, member in broadcast.members.items() if member.seat is not None}
        demand(seated == members, "seats and members differ:", seated, members)
        watching = len(table.spectator_names())
        # Who was cut off may come back to a place that somebody else has taken.
        most = self._limits.spectators + self._limits.sessions
        demand(watching <= most, "too many look on:", watching)
        if game is None or game.over:
            return
        if not (game.between and game.paused):
            demand(table.next() is not None, "nothing will ever happen at table", table.number)
        course = self._chronicle.courses[table.number]
        demand(game.between == (course.round is None), "a round that is over goes on, or the other way round")
        if not game.between:
            assert course.round is not None
            self._look_at_round(table, game, course.round)

    def _look_at_round(self, table: Table, game: Game, round: Round) -> None:
        assert game.live is not None
        demand(len(game.live.held) <= 2 * len(table.seats), "too much is held:", game.live.held)
        window = round.window is not None and round.phase is not Phase.OVER
        demand(game.live.window_open() == window, "a window that is closed is open, or the other way round")
        differs = state_changes(round, game.live.round)
        demand(not differs, "the round is not what its inputs make of it:", differs)
        if game.bots is not None:
            plans = set(game.bots._plans)
            automatic = {seat.index for seat in table.seats if seat.automatic}
            demand(plans <= automatic, "somebody is played for who plays:", plans, automatic)

    # What is shown

    def view(self, table: Table, you: int | None) -> dict[str, Any]:
        """`view_of`, which has to show the round that the record makes, and nothing that is hidden."""
        shown = view_of(table, you)
        game = table.game
        if game is None or game.live is None or game.between:
            return shown
        round = self._chronicle.courses[table.number].round
        assert round is not None
        hand = None if you is None else [CARDS[card] for card in round.hand_cards(you)]
        asked = asked_of(round).get(you, {}) if you is not None else {}
        right = {
            "hand": hand,
            "playable": asked.get("playable"),
            "may": asked.get("may"),
            "discards": [CARDS[card] for card in round.discards],
            "stock": len(round.stock),
            "round": round.number,
        }
        for key, value in right.items():
            demand(shown[key] == value, "a view shows", key, shown[key], "which is", value)
        sizes = [seat["count"] for seat in shown["seats"]]
        demand(sizes == round.sizes(), "a view counts", sizes, "where there are", round.sizes())
        live = game.live
        there, live.round = live.round, redealt(live.round, you, self._chance)
        other = view_of(table, you)
        live.round = there
        demand(shown == other, "a view tells of hidden cards:", shown, other)
        return shown


def redealt(round: Round, you: int | None, chance: random.Random) -> Round:
    """The round with every card that one can't see somewhere else where it can't be seen."""
    other = round.copy()
    hidden = [seat for seat in range(round.seats) if seat != you]
    cards = [card for seat in hidden for card in cards_of(round.hands[seat])] + round.stock
    moved = dict(zip(cards, chance.sample(cards, len(cards)), strict=True))
    for seat in hidden:
        other.hands[seat] = mask_of(moved[card] for card in cards_of(round.hands[seat]))
        other.counts[seat] = value_of(other.hands[seat])
    other.stock = [moved[card] for card in round.stock]
    if other.drawn is not None:
        other.drawn = moved.get(other.drawn, other.drawn)
    return other
