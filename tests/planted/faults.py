"""Mistakes that somebody could make: each a few characters of the source, exchanged.

A test holds that every one of them still can be planted. Where the source has changed, so has its mistake.
"""

from __future__ import annotations

from typing import NamedTuple


class Fault(NamedTuple):
    """In ``file`` the text ``old``, which stands there once, becomes ``new``."""

    name: str
    file: str
    old: str
    new: str


FAULTS = (
    Fault(
        "the turn goes to the seat after the next",
        "engine/round.py",
        "        return self._begin_turn((seat + self.direction) % self.seats)\n",
        "        return self._begin_turn((seat + self.direction * 2) % self.seats)\n",
    ),
    Fault(
        "an answered attack is lost",
        "engine/state.py",
        "self.attack_draw += self.attack_step",
        "self.attack_draw = self.attack_step",
    ),
    Fault(
        "an attack goes on after its victim has drawn",
        "engine/round.py",
        "            self.attack_rank = None\n            self.attack_step",
        "            self.attack_step",
    ),
    Fault(
        "points are entered twice",
        "engine/match.py",
        "self.totals[seat] += gained",
        "self.totals[seat] += gained + gained",
    ),
    Fault(
        "the first of several claims wins instead of the last",
        "engine/points.py",
        "winners = [claims[-1]]",
        "winners = [claims[0]]",
    ),
    Fault(
        "a card is lost in the reshuffle",
        "engine/state.py",
        "cards = self.discards[:-1]\n",
        "cards = self.discards[1:-1]\n",
    ),
    Fault(
        "a seat that paid for a false Dobon may claim again",
        "engine/round.py",
        "self.paid |= 1 << seat",
        "self.paid |= 0",
    ),
    Fault(
        "a waiver is forgotten",
        "engine/round.py",
        "self.waived |= 1 << action.seat",
        "self.waived |= 0",
    ),
    Fault(
        "the end of the round comes sooner where nobody could claim",
        "engine/legality.py",
        "if waited_for and self.hands[seat].bit_count() >= least:",
        "if waited_for and self.holds(seat):",
    ),
    Fault(
        "the shuffle never leaves a card where it was",
        "engine/deal.py",
        "other = below(size, stream)",
        "other = below(size - 1, stream)",
    ),
    Fault(
        "nonces are ignored in the seed",
        "engine/deal.py",
        "    for nonce in nonces:\n",
        "    for nonce in ():\n",
    ),
    Fault(
        "cards drawn are shown to everybody",
        "server/telling.py",
        "fields = event_data(event, None)",
        "fields = event_data(event)",
    ),
    Fault(
        "a view shows the hand of another seat",
        "server/views.py",
        "view_data(view(live.round, you))",
        "view_data(view(live.round, 0))",
    ),
    Fault(
        "a window is never closed",
        "server/telling.py",
        "            self._set_window(self.claim_on, effect)\n",
        "            pass\n",
    ),
    Fault(
        "a turn keeps the deadline of the one before",
        "server/telling.py",
        'fields["deadline"] = self._set_deadline(self._settings.turn_time, begins)',
        'fields["deadline"] = self._broadcast.ms(self.deadline or begins)',
    ),
    Fault(
        "a seq is left out now and then",
        "server/broadcast.py",
        "        self.seq += 1\n",
        "        self.seq += 1 + (self.seq % 40 == 39)\n",
    ),
    Fault(
        "an answer is given twice",
        "server/reply.py",
        "            session.connection.send(frame)\n",
        "            session.connection.send(frame + frame)\n",
    ),
    Fault(
        "a request that is sent again is done again",
        "protocol/once.py",
        "if request > self.last:\n            self.last = request\n            self.answer = None\n"
        "            self._undecided.add(request)\n            return Verdict.NEW",
        "if request >= self.last:\n            self.last = request\n            self.answer = None\n"
        "            self._undecided.add(request)\n            return Verdict.NEW",
    ),
    Fault(
        "people are told before it is written",
        "server/record.py",
        "self._noted <= self._record.written():\n            peer.send(data)\n",
        "True:\n            peer.send(data)\n",
    ),
    Fault(
        "the lag of a claim counts from the one before",
        "server/telling.py",
        "if event.order == 1:\n            self._first_claim = arrival",
        "if event.order < 3:\n            self._first_claim = arrival",
    ),
    Fault(
        "the server plays for who has just gone away",
        "server/absence.py",
        "        seat.away_due = due\n",
        "        seat.away_due = table.broadcast.now\n",
    ),
    Fault(
        "the grace is forgotten",
        "server/live_round.py",
        "return self.round.window is not None and moment < self.teller.until",
        "return False",
    ),
    Fault(
        "who comes back gets no view",
        "server/absence.py",
        "    table.show(session.player)\n",
        "    pass\n",
    ),
    Fault(
        "what arrived is taken in the order it was read",
        "server/harvest.py",
        "    return frame.arrival, frame.sequence\n",
        "    return 0, frame.sequence\n",
    ),
    Fault(
        "a seq is used again after a restart",
        "server/restore.py",
        'broadcast.seq = standing["seq"] + 1',
        'broadcast.seq = standing["seq"] - 1',
    ),
    Fault(
        "what was held is forgotten in a restart",
        "server/live_round.py",
        "            self.held.append(Asked(action, on, revival.moment(arrival), answer, player, request))\n",
        "            pass\n",
    ),
    Fault(
        "a session is never forgotten",
        "server/visitors.py",
        "        self.sessions.end(session)\n",
        "",
    ),
    Fault(
        "who leaves stays among those at the table",
        "server/table.py",
        "member = self.broadcast.members.pop(session.player)",
        "member = self.broadcast.members[session.player]",
    ),
    Fault(
        "a closed connection is kept",
        "server/harvest.py",
        "            self._transport.drop(peer.link)\n",
        "            pass\n",
    ),
    Fault(
        "the host's place stays empty",
        "server/absence.py",
        "    if members:\n",
        "    if members and table.playing:\n",
    ),
    Fault(
        "a bot claims at once",
        "server/bot_seat.py",
        "plan.moment = max(plan.moment, floor)",
        "plan.moment = max(plan.moment, 0)",
    ),
    Fault(
        "a claim does not end what the next player has asked for",
        "server/live_round.py",
        "            self._end_held_moves()\n        return None\n",
        "            pass\n        return None\n",
    ),
    Fault(
        "requests are taken however many come",
        "server/connection.py",
        "if full_at - arrival > BURST * each:",
        "if full_at - arrival > 50 * BURST * each:",
    ),
    Fault(
        "passwords are tried without end",
        "server/table_requests.py",
        "    table.floor.guesses.use(address, now)\n",
        "",
    ),
    Fault(
        "a wrong password opens the table to who knew nothing",
        "server/passwords.py",
        "            return compare_digest(quick, self._quick)\n",
        "            return compare_digest(quick[:0], self._quick[:0])\n",
    ),
    Fault(
        "a connection is not counted out",
        "server/visitors.py",
        "            self._doors.leave(connection.peer.address)\n",
        "            pass\n",
    ),
    Fault(
        "there is always room for another session",
        "server/limits.py",
        "return sessions < self._limits.sessions and",
        "return",
    ),
    Fault(
        "who says nothing is never dropped",
        "protocol/heartbeat.py",
        "        if self.unanswered == UNANSWERED:\n",
        "        if self.unanswered > UNANSWERED:\n",
    ),
    Fault(
        "who takes a session over leaves the old connection open",
        "server/visitors.py",
        '            old.end("replaced", MESSAGES["replaced"])\n            self._let_go(old)\n',
        "            pass\n",
    ),
    Fault(
        "who is away is never played for",
        "server/absence.py",
        'if table.playing and seat.status == "away":',
        'if table.playing and seat.status == "online":',
    ),
    Fault(
        "an absent host stays the host",
        "server/absence.py",
        "        table.host_due = None\n        hand_over(table)\n",
        "        table.host_due = None\n",
    ),
    Fault(
        "who left and comes back goes on being played for",
        "server/table.py",
        'seat.status, seat.automatic, seat.overdue = "online", False, 0\n        # While',
        'seat.status, seat.overdue = "online", 0\n        # While',
    ),
    Fault(
        "a standing of the series is lost in a restart",
        "server/restore.py",
        'table.series = Series.from_data(standing["series"])',
        'table.series = Series.from_data(standing["series"][1:])',
    ),
    Fault(
        "a pause is forgotten in a restart",
        "server/game.py",
        'self._secret, self.tallied, self.paused = data["secret"], data["tallied"], data["paused"]',
        'self._secret, self.tallied = data["secret"], data["tallied"]',
    ),
    Fault(
        "who has waived may claim again after a restart",
        "server/live_round.py",
        "        self._others_open = round.others_open\n        for plain",
        "        self._others_open = round.others_open\n        round.waived = 0\n        for plain",
    ),
    Fault(
        "what was withheld is sent in the wrong order",
        "server/record.py",
        "_, peer, what = self._waiting.popleft()",
        "_, peer, what = self._waiting.pop()",
    ),
    Fault(
        "who fell behind never gets a view",
        "server/table.py",
        "            self.show(session.player)\n            self.broadcast.flush()\n",
        "            pass\n",
    ),
    Fault(
        "a seat is shown what another may play",
        "server/telling.py",
        "own.setdefault(seat, {}).update(playable=cards_data(cards), may=may(self._round, seat))",
        "own.setdefault(self._round.turn_seat, {}).update(playable=cards_data(cards), may=[])",
    ),
    Fault(
        "a frame that comes with the end of a handshake is lost",
        "server/tls_stream.py",
        "                self._ready = True\n",
        '                self._ready = True\n                return b"", False\n',
    ),
    Fault(
        "the length of an answer under TLS tells what it says",
        "server/connection.py",
        "self.gate.send(self.peer, pad_frame(frame) if self.peer.tls else frame)",
        "self.gate.send(self.peer, frame)",
    ),
    Fault(
        "a counter after several claims is against the first of them",
        "engine/points.py",
        "else [claims[-2]]",
        "else [claims[0]]",
    ),
    Fault(
        "a discarder who is asked for a counter has the time that others left",
        "server/telling.py",
        'if asked and not self._counter_asked and round.rules.claims == "all":',
        'if asked and not self._counter_asked and round.rules.claims == "any":',
    ),
    Fault(
        "a chain counts the winners, not the claims",
        "engine/points.py",
        "stake=len(outcome.claims) or 1",
        "stake=len(outcome.winners) or 1",
    ),
    Fault(
        "a table is not called at a moment that has become an earlier one",
        "server/core.py",
        "        if moment < known or among is not timers:\n",
        "        if table.number not in self._scheduled:\n",
    ),
    Fault(
        "what is held at a table that closes is never answered",
        "server/table.py",
        "        for reply in self.replies:\n            if not reply.given:\n",
        '        for reply in self.replies:\n            if why == "fault" and not reply.given:\n',
    ),
    Fault(
        "a frame that was begun is waited for for ever",
        "server/harvest.py",
        "            if begun + FRAME_TIME > self._start:\n",
        "            if begun + FRAME_TIME * 1000 > self._start:\n",
    ),
)
