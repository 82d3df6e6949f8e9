"""What happened, as one sentence in the player's language: shared by every front end.

A `Speaker` knows the language and the characters of the terminal. Whatever people have written goes through
`harmless` here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, assert_never

from engine.cards import RANKS
from protocol import events as e
from protocol.fields import Claim
from protocol.messages import LastRound, View
from protocol.replies import ViewSeat
from protocol.text import ANNOUNCER, harmless

from .glyphs import Glyphs
from .i18n import Translate, mark
from .model import Entry
from .notices import Checked
from .rulebook import known_rules
from .rules_fields import LEVELS, SETTINGS, counted, decided

THROWS: Final = {"rock": mark("rock"), "paper": mark("paper"), "scissors": mark("scissors")}
DIRECTIONS: Final = {1: mark("clockwise"), -1: mark("counterclockwise")}
SETTLED_BY: Final = {
    "play": mark("The direction is {direction}: {name} was first."),
    "coin": mark("The direction is {direction}, by the coin."),
    "rps": mark("The direction is {direction}, by rock, paper, scissors."),
    "default": mark("The direction is {direction}."),
}
CLOSED: Final = {
    "empty": mark("The table is closed: nobody was left."),
    "host": mark("The table is closed: the host has left."),
    "admin": mark("The table is closed by the server."),
    "fault": mark("The table is closed: something went wrong on the server."),
    "kicked": mark("The host has removed you from the table."),
}
FAULTS: Final = {
    "commit": mark("the secret is not the one that was promised"),
    "seed": mark("the seed does not follow from the secret"),
    "nonce": mark("the random number that you gave was left out"),
    "given": mark("a random number was put in for somebody who gave none"),
    "deal": mark("the cards dealt are not those of the seed"),
    "starter": mark("the starter is not the one of the seed"),
    "coin": mark("the coin fell otherwise than the seed says"),
    "drawn": mark("a card drawn is not the one of the seed"),
    "played": mark("a card was played that was not in that hand"),
    "hands": mark("the hands at the end are not those of the seed"),
}


def run_on(*sentences: str) -> str:
    """Sentences one behind the other; where a wide stop or bracket is between them there is no space."""
    said = ""
    for each in sentences:
        is_wide = bool(said) and (said[-1] in "。！？）" or each[:1] == "（")
        said += ("" if is_wide or not said else " ") + each
    return said


@dataclass(frozen=True, slots=True)
class Speaker:
    """Says things to one person: `translate` is their catalogue's gettext, `glyphs` their terminal's."""

    translate: Translate
    glyphs: Glyphs

    # The small words.

    def card(self, text: str) -> str:
        return self.glyphs.card(text)

    def cards(self, texts: Iterable[str]) -> str:
        return " ".join(map(self.card, texts))

    def suit(self, letter: str) -> str:
        return self.glyphs.suits[letter]

    def text(self, foreign: str) -> str:
        """Text of somebody else's, as it may be shown."""
        return harmless(foreign, ambiguous_wide=self.glyphs.ambiguous_wide)

    def who(self, view: View, seat: int | None) -> str:
        """Who sits in a seat; without a name the seat's number, from 1."""
        found = next((each for each in view.seats if each.seat == seat), None)
        if found is not None and found.name:
            return self.text(found.name)
        return self.seat(0 if seat is None else seat)

    def seat(self, number: int) -> str:
        return self.translate("seat {number}").format(number=number + 1)

    def names(self, view: View, seats: Iterable[int]) -> str:
        return self.translate(", ").join(self.who(view, seat) for seat in seats)

    def occupant(self, seat: ViewSeat | e.Seat) -> str:
        """A name, of a bot with its level; `empty` for nobody."""
        _ = self.translate
        if seat.kind == "empty" or not seat.name:
            return _("empty")
        name = self.text(seat.name)
        if seat.kind == "bot":
            return _("{name} (bot, {level})").format(name=name, level=_(LEVELS[seat.level or "normal"]))
        return name

    def lag(self, claim: e.Claimed) -> str:
        """When a claim arrived: by how many ms, with a tenth, after the first."""
        _ = self.translate
        if claim.order == 1:
            return _("the first")
        return _("no. {order}, +{lag} ms").format(order=claim.order, lag=f"{claim.lag / 1000:.1f}")

    def placed(self, claim: Claim, view: View) -> str:
        """One of several claims on a card: who made it, and how long after the first."""
        _, name, lag = self.translate, self.who(view, claim.seat), f"{claim.lag / 1000:.1f}"
        if claim.counter:
            return _("{name} returns {lag} ms later").format(name=name, lag=lag)
        if claim.order == 1:
            return _("{name} was first").format(name=name)
        return _("{name} {lag} ms later").format(name=name, lag=lag)

    # Sentences.

    def sentence(self, entry: Entry) -> str:
        """One entry of a table's log as one sentence."""
        what, view = entry.what, entry.view
        if isinstance(what, Checked):
            return self.checked(what)
        match what:
            case e.Seat() | e.Spectator() | e.Host() | e.RulesSet() | e.Chatted() | e.Paused() | e.Closed():
                return self._room(what, view)
            case e.MatchBegun() | e.SeatReady() | e.RoundBegun() | e.RoundOver() | e.MatchOver():
                return self._course(what, view)
            case e.Opening() | e.Turned() | e.DirectionRace() | e.RpsAsked() | e.Thrown() | e.DirectionSet():
                return self._race(what, view)
            case e.TurnBegun() | e.Played() | e.Drew() | e.Passed() | e.Skipped() | e.TimedOut():
                return self._turn(what, view)
            case e.Reshuffled(stock=stock):
                said = mark("The discards are shuffled: {cards} in the stock.")
                return self._say(said, cards=counted(stock, self.translate))
            case e.Claimed() | e.FalseClaim():
                return self._claim(what, view)
            case _:
                assert_never(what)

    def checked(self, checked: Checked) -> str:
        _ = self.translate
        if checked.fault is not None:
            return _("!!! THIS DEAL WAS NOT HONEST: {fault}. !!!").format(fault=_(FAULTS[checked.fault]))
        if checked.whole:
            return _("The deal was checked: every card follows from the secret promised before it.")
        return _("The deal was checked as far as it was seen: the secret is the one that was promised.")

    def _say(self, source: str, **values: Any) -> str:
        return self.translate(source).format(**values)

    def _room(
        self,
        what: e.Seat | e.Spectator | e.Host | e.RulesSet | e.Chatted | e.Paused | e.Closed,
        view: View,
    ) -> str:
        _ = self.translate
        match what:
            case e.Seat():
                return self._seated(what, view)
            case e.Spectator(name=name, here=True):
                return _("{name} is watching.").format(name=self.text(name))
            case e.Spectator(name=name):
                return _("{name} is no longer watching.").format(name=self.text(name))
            case e.Host(name=name):
                return _("{name} is the host now.").format(name=self.text(name))
            case e.RulesSet():
                return self._rules(what, view)
            case e.Chatted(name=name, text=text) if name == ANNOUNCER:
                return _("Announcement of the server: {text}").format(text=self.text(text))
            case e.Chatted(name=name, text=text):
                return f"<{self.text(name)}> {self.text(text)}"
            case e.Paused(on=True):
                return _("Pause: the next round waits for the host.")
            case e.Paused():
                return _("The pause is over.")
            case e.Closed(why=why):
                return _(CLOSED[why])
            case _:
                assert_never(what)

    def _seated(self, what: e.Seat, view: View) -> str:
        _ = self.translate
        was = next((each for each in view.seats if each.seat == what.seat), None)
        seat, name = self.seat(what.seat), self.text(what.name or "")
        if what.kind == "empty" or not what.name:
            gone = self.text(was.name or "") if was is not None else ""
            return _("{name} leaves {seat}.").format(name=gone or _("nobody"), seat=seat)
        if what.kind == "bot":
            least, most = what.reaction or (0, 0)
            return _("{name} sits in {seat} and claims within {least} – {most} ms.").format(
                name=self.occupant(what), seat=seat, least=least, most=most
            )
        if was is None or was.kind != "human" or was.name != what.name:
            return _("{name} sits down in {seat}.").format(name=name, seat=seat)
        match what.status:
            case "away":
                return _("{name} is away.").format(name=name)
            case "autopilot":
                return _("The server plays for {name}.").format(name=name)
            case "left":
                return _("{name} has left; the server plays on in {seat}.").format(name=name, seat=seat)
            case _:
                return _("{name} is back.").format(name=name)

    def _rules(self, what: e.RulesSet, view: View) -> str:
        """The fields that changed, with what each is and its value."""
        _ = self.translate
        before, after = known_rules(view.rules).to_data(), known_rules(what.rules).to_data()
        changes = [decided(field, value, _) for field, value in after.items() if before[field] != value]
        changes += [
            decided(field, value, _)
            if field in SETTINGS and isinstance(value, int)
            else f"{self.text(field)}: {self.text(str(value))}"
            for field, value in what.settings.items()
            if view.settings.get(field) != value
        ]
        said = _("; ").join(changes) or _("none")
        return _("Rules changed: {changes}.").format(changes=said)

    def _course(
        self, what: e.MatchBegun | e.SeatReady | e.RoundBegun | e.RoundOver | e.MatchOver, view: View
    ) -> str:
        _ = self.translate
        match what:
            case e.MatchBegun(seats=seats):
                return _("A match begins: {names}.").format(
                    names=_(", ").join(self.text(seat.name) for seat in seats)
                )
            case e.SeatReady(seat=seat):
                return _("{name} is ready.").format(name=self.who(view, seat))
            case e.RoundBegun():
                top = self.cards([*what.under, what.top])
                return _("Round {round} of {rounds}. Top card: {top}. {name} starts.").format(
                    round=what.round,
                    rounds=known_rules(view.rules).rounds,
                    top=top,
                    name=self.who(view, what.starter),
                )
            case e.RoundOver():
                return self.round_over(what, view)
            case e.MatchOver(ranking=ranking):
                places = [
                    _("{rank}. {name} ({total})").format(
                        rank=each.rank, name=self.who(view, each.seat), total=each.total
                    )
                    for each in ranking
                ]
                return _("The match is over. {places}").format(places=_(", ").join(places))
            case _:
                assert_never(what)

    def round_over(self, what: LastRound, view: View) -> str:
        _ = self.translate
        winners, losers = self.names(view, what.winners), self.names(view, what.losers)
        card = self.card(what.card) if what.card else ""
        match what.why:
            case "out":
                return _("The round is over: {name} goes out with {card}.").format(name=winners, card=card)
            case "stalemate":
                return _("The round is over: stalemate.")
            case "dobon":
                return _("The round is over: Dobon on {card}, won by {name}, lost by {loser}.").format(
                    name=winners, card=card, loser=losers
                )
            case _:
                assert_never(what.why)

    def _race(
        self,
        what: e.Opening | e.Turned | e.DirectionRace | e.RpsAsked | e.Thrown | e.DirectionSet,
        view: View,
    ) -> str:
        _ = self.translate
        match what:
            case e.Opening():
                return _("Opening race: the first card on {card} opens.").format(
                    card=self.card(view.top) if view.top else ""
                )
            case e.Turned(top=top):
                return _("Nobody could open: {card} is turned up.").format(card=self.card(top))
            case e.DirectionRace(candidates=candidates):
                return _("Direction race: the first card of {names} settles it.").format(
                    names=self.names(view, candidates)
                )
            case e.RpsAsked(seats=seats, attempt=attempt):
                return _("Rock, paper, scissors: {names} (try {attempt}).").format(
                    names=self.names(view, seats), attempt=attempt
                )
            case e.Thrown(throws=throws):
                pairs = zip(view.candidates or (), throws, strict=False)
                thrown = [
                    _("{name} {throw}").format(name=self.who(view, s), throw=_(THROWS[t])) for s, t in pairs
                ]
                return _("Thrown: {throws}.").format(throws=_(", ").join(thrown))
            case e.DirectionSet(direction=direction, by=by):
                candidates = view.candidates or [0, 0]
                first = candidates[0 if direction == 1 else 1]
                return _(SETTLED_BY[by]).format(
                    direction=_(DIRECTIONS[direction]), name=self.who(view, first)
                )
            case _:
                assert_never(what)

    def _turn(
        self, what: e.TurnBegun | e.Played | e.Drew | e.Passed | e.Skipped | e.TimedOut, view: View
    ) -> str:
        _ = self.translate
        name = self.who(view, what.seat)
        match what:
            case e.TurnBegun(attack=None):
                return _("{name}'s turn; {suit} to follow.").format(name=name, suit=self.suit(what.suit))
            case e.TurnBegun(attack=attack):
                assert attack is not None
                return _("{name}'s turn: answer with {rank} or draw {count}.").format(
                    name=name, rank=self.rank(attack.rank), count=attack.draw
                )
            case e.Played():
                return self._played(what, view)
            case e.Drew():
                return self._drew(what, view)
            case e.Passed():
                return _("{name} passes.").format(name=name)
            case e.Skipped():
                return _("{name} is skipped.").format(name=name)
            case e.TimedOut():
                return _("{name}'s time is up.").format(name=name)
            case _:
                assert_never(what)

    def rank(self, rank: str) -> str:
        """A rank as people write it: `10` for T, a joker's as it is printed."""
        return {"T": "10", "X": self.card("X1")}.get(rank, rank)

    def ranks(self, values: Iterable[int]) -> str:
        """Ranks by their values, from 1."""
        return self.translate(", ").join(self.rank(RANKS[value - 1]) for value in values)

    def _played(self, what: e.Played, view: View) -> str:
        _ = self.translate
        name, card = self.who(view, what.seat), self.card(what.card)
        said = _("{name} plays {card}").format(name=name, card=card)
        if what.card[1] != what.suit:
            said = _("{said} and names {suit}").format(said=said, suit=self.suit(what.suit))
        if what.left == 0:
            return _("{said}: no cards left!").format(said=said)
        if what.left == 1:
            return _("{said}: one card left!").format(said=said)
        return _("{said}; {count} cards left.").format(said=said, count=what.left)

    def _some(self, count: int) -> str:
        _ = self.translate
        return _("a card") if count == 1 else counted(count, _)

    def _drew(self, what: e.Drew, view: View) -> str:
        _ = self.translate
        name = self.who(view, what.seat)
        drawn = self.cards(what.cards) if what.cards else self._some(what.count)
        match what.why:
            case "choice":
                if what.cards is None and what.count == 1:
                    return _("{name} draws a card.").format(name=name)
                return _("{name} draws {cards}.").format(name=name, cards=drawn)
            case "attack":
                return _("{name} takes the attack and draws {cards}.").format(name=name, cards=drawn)
            case "false":
                return _("{name} draws {cards} for the false Dobon.").format(name=name, cards=drawn)
            case "call":
                return _("{name} has not called and draws {cards}.").format(name=name, cards=drawn)
            case _:
                assert_never(what.why)

    def _claim(self, what: e.Claimed | e.FalseClaim, view: View) -> str:
        _ = self.translate
        name = self.who(view, what.seat)
        card = self.card(view.top) if view.top else ""
        if isinstance(what, e.FalseClaim):
            return _("{name} calls Dobon on {card}, but it does not hold.").format(name=name, card=card)
        source = (
            mark("DOBON RETURN! {name} against {other}, on {card} ({lag}).")
            if what.counter
            else mark("DOBON! {name} against {other}, on {card} ({lag}).")
        )
        return self._say(
            source,
            name=name,
            other=self.who(view, what.against),
            card=card,
            lag=self.lag(what),
        )

    def results(self, view: View) -> list[str]:
        """After a round a line for each seat: hand, points and total; the totals alone without hands."""
        _ = self.translate
        last = view.last_round
        if last is None:
            return []
        return [
            _("{name}: {hand}; points {points}, total {total}").format(
                name=self.who(view, seat), hand=self.cards(hand) or _("no cards"), points=points, total=total
            )
            for seat, (hand, points, total) in enumerate(
                zip(last.hands, last.points, last.totals, strict=False)
            )
        ]
