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
from server.connection import HEARTBEAT, HELLO_TIME, UNSENT
from server.core import Core
from server.game import Game
from server.harvest import FRAME_TIME, Harvester
from server.session import KEPT
from server.settings import SECOND
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
        self._dull: dict[int, int] = {}
        """By player, since when they should have had a view after they fell behind."""
        self._late: dict[int, int] = {}
        """By player, since when they should be forgotten."""
        self.shown: set[int] = set()
        """The tables of which views were shown, until somebody empties it."""

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

    def look_at_time(self, moment: int) -> None:
        """At what has to have been decided, once everything up to this moment had its turn."""
        core = self._core
        if core.visitors.ending:
            return
        for peer, begun in self._harvester._begun.items():
            demand(begun + FRAME_TIME + SECOND > moment, "a frame is waited for for ever:", peer.address)
        for connection in core.visitors._connections.values():
            due = connection.beat.due
            if connection.session is None:
                due += HELLO_TIME - HEARTBEAT
            demand(due > moment, "a connection is silent:", connection.peer.address)
            heard = connection.peer.last_arrival
            silent = moment - heard if heard else 0
            demand(silent <= HEARTBEAT * 7 // 2 + SECOND, "silent for", silent, connection.peer.address)
        for session in core.visitors.sessions:
            playing = any(table.playing for table in session.tables.values())
            if session.gone_at is None or session.gone_at + KEPT > moment or playing:
                self._late.pop(session.player, None)
            else:
                late = moment - self._late.setdefault(session.player, moment)
                demand(late <= KEPT // 10 + SECOND, "never forgotten:", session.name)
        if core.gate.stuck:
            return
        for table in core.lobby.tables.values():
            self._look_at_time_of(table, moment)

    def _look_at_time_of(self, table: Table, moment: int) -> None:
        due = table.next()
        gate = self._core.gate
        # Where bots play alone, it goes on no faster than it is written down.
        waits = not table.attended and gate.noted > gate.written
        demand(waits or due is None or due > moment, "nothing comes of what is due at table", table.number)
        for seat in table.seats:
            if table.playing and seat.status == "away":
                demand(seat.away_due is not None, "who is away will never be played for:", seat)
        for player, member in table.broadcast.members.items():
            connection = member.session.connection
            if not member.behind or connection is None or connection.peer.unsent:
                self._dull.pop(player, None)
            else:
                dull = moment - self._dull.setdefault(player, moment)
                demand(dull <= SECOND, "who fell behind has caught up, and gets no view:", player)
        members = table.broadcast.members
        host = members.get(table.host)
        if host is None or host.session.gone_at is None:
            return
        here = [m for m in members.values() if m.session.connection is not None]
        demand(not here or table.host_due is not None, "the host is away, and stays the host")

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
        for peer, connection in known.items():
            demand(peer.open or visitors.ending, "a connection is known that is closed:", peer.address)
            session = connection.session
            # Its last words may still be withheld.
            left = session is None or session.connection is connection or connection.ended
            demand(left, "a session has two connections:", session)
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
        held = set() if game is None or game.live is None else {a.action.seat for a in game.live.held}
        for seat in table.seats:
            automatic = seat.kind == "bot" or seat.status in ("autopilot", "left")
            # Who asks for something is played for no longer, and is told so with the answer.
            demand(seat.automatic == automatic or seat.index in held, "who plays this seat?", seat)
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
        self.shown.add(table.number)
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


NEW = ("at", "deadline", "until", "seq", "spectators", "host")
"""Of a view: what another process may show otherwise."""
Standing = dict[int | None, dict[str, Any]]


def standing_of(table: Table) -> Standing:
    """How a table stands, as every seat sees it and as all others do."""
    return {you: _lasting(view_of(table, you)) for you in (None, *range(len(table.seats)))}


def _lasting(view: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in view.items() if key not in NEW}


def same_standing(table: Table, before: Standing) -> None:
    """Raise `Broken` unless a table that was taken up stands as it stood before."""
    now = standing_of(table)
    for you, view in before.items():
        for key, value in view.items():
            if key == "paused" and not table.broadcast.members:
                continue
            new = now[you][key]
            if key == "seats":
                value, new = _seats(value, new), _seats(new, new)
            demand(value == new, "after a restart", you, "sees", key, new, "which was", value)


def _seats(seats: list[dict[str, Any]], new: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without what may be otherwise: who was here has to find back, and who can't has left."""
    lasting = []
    for seat, now in zip(seats, new, strict=True):
        gone = now["status"] == "left"
        status = "left" if gone else "away" if seat["status"] == "online" else seat["status"]
        lasting.append({**seat, "status": status, "ready": gone or seat["ready"], "reaction": None})
    return lasting


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
