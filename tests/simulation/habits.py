"""What people do when it is their time: what is asked of them, and whatever comes to their mind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from client.knowledge import can_dobon, names_suit
from protocol.messages import View
from server.memory import WINDOW

from .folly import folly

if TYPE_CHECKING:
    from .person import Person


async def act(person: Person) -> None:
    """Do one thing, or nothing."""
    chance, view, plan, bad = person.chance, person.view, person.plan, person.weather.bad
    if bad and person.burgles:
        _burgle(person)
    elif bad and plan.glutton and person.name[0] in "BC" and chance.random() < 0.05:
        await _gorge(person)
    elif bad and plan.tight and view is not None and view.you is None and chance.random() < 0.1:
        await _doze(person)
    elif bad and chance.random() < plan.folly:
        t, fields = folly(chance, view, person.table)
        person.request(t, **fields)
    elif bad and chance.random() < plan.whim:
        await _have_a_whim(person)
    elif view is None:
        _come_in(person)
    elif view.you is None:
        if view.phase in ("open", "over") and not person.asked and not _full(view):
            person.request("join", table=person.table, **_key(person))
        _lead(person, view)
    else:
        _play(person, view, view.you)
        _lead(person, view)


def _key(person: Person) -> dict[str, str]:
    return {} if person.plan.password is None else {"password": person.password()}


def _come_in(person: Person) -> None:
    """Go where everybody goes; the first of them opens a table if there is none."""
    if person.asked or person.chance.random() > 0.3:
        return
    if person.weather.table is not None:
        looks_on = person.chance.random() < (0.5 if person.plan.tight and person.weather.bad else 0.1)
        t = "watch" if looks_on else "join"
        person.request(t, table=person.weather.table, **_key(person))
    elif person.name.startswith("A"):
        plan = person.plan
        person.memory.creates += 1
        password = {} if plan.password is None else {"password": plan.password}
        fields = {"seats": plan.seats, "bots": plan.bots, **password}
        person.request("create", rules=plan.rules, settings=plan.settings, **fields)


def _lead(person: Person, view: View) -> None:
    """The host starts what can be started, once in a while."""
    host = view.host is not None and view.host.name == person.name
    if not host or person.asked or person.gone:
        return
    if view.paused:
        if not person.weather.bad or person.chance.random() < 0.2:
            person.request("pause", table=person.table, on=False)
    elif view.phase == "between" and person.weather.bad and person.chance.random() < 0.1:
        person.request("pause", table=person.table, on=True)
    elif view.phase == "open" and person.chance.random() < (0.2 if _full(view) else 0.01):
        person.request("start", table=person.table, fill="easy")
    elif view.phase == "over" and person.weather.bad and person.chance.random() < 0.03:
        person.request("start", table=person.table, fill="normal")


def _play(person: Person, view: View, you: int) -> None:
    chance, on = person.chance, view.act_on
    if view.ready_on is not None and not view.seats[you].ready:
        nonce = chance.choice([None, b"", chance.randbytes(16), bytes(32)])
        person.once(("ready", view.ready_on), "ready", on=view.ready_on, nonce=nonce)
    if view.claim_on is not None:
        claim = ("claim", view.claim_on, len(view.claims or ()) if view.claim == "open" else 0)
        claims = chance.random() < (0.9 if can_dobon(view) else 0.02 * person.weather.bad)
        if claims and person.once(claim, "dobon", on=view.claim_on):
            return
        waives = view.phase == "claim" and chance.random() < (0.1 if person.plan.contested else 0.5)
        if waives and person.once(claim, "waive", on=view.claim_on):
            return
    if view.phase == "rps" and you in (view.candidates or ()):
        throw = chance.choice(["rock", "paper", "scissors"])
        person.once(("rps", on), "rps", on=on, throw=throw)
    elif view.may and on is not None:
        key = ("act", on, len(view.hand or ()), chance.randrange(4))
        if "play" in view.may and view.playable and (chance.random() < 0.8 or view.may == ["play"]):
            card = chance.choice(view.playable)
            suit = chance.choice("SHDC") if names_suit(view, card) else None
            person.once(key, "play", on=on, card=card, suit=suit, call=chance.random() < 0.8)
        else:
            person.once(key, chance.choice([do for do in view.may if do != "play"] or ["draw"]), on=on)


def _burgle(person: Person) -> None:
    """Try passwords at the door of a table that one is not at."""
    if person.view is not None:
        person.request("leave", table=person.table)
    elif person.weather.table is not None:
        guess = f"{person.last_id}"
        person.request("watch", table=person.weather.table, password=guess)


async def _gorge(person: Person) -> None:
    """Ask for views as fast as is allowed, and read none of them for a while."""
    person.line.open_up(0)
    for _ in range(600):
        person.request("sync", table=person.table)
        await trio.sleep(0.05)
    person.line.open_up(WINDOW)


async def _doze(person: Person) -> None:
    """Read nothing of what goes on."""
    person.line.open_up(0)
    await trio.sleep(person.chance.choice([5, 25]))
    person.line.open_up(WINDOW)


async def _have_a_whim(person: Person) -> None:
    chance, table = person.chance, person.table
    match chance.randrange(9):
        case 0 | 1:
            person.said += 1
            text = f"{person.name} says {person.said}"
            person.memory.chats.setdefault(text, False)
            person.request("chat", table=table, text=text)
        case 2:
            person.request("sync", table=table)
        case 3:
            person.request("leave", table=table)
        case 4:
            person.request("watch", table=table, **_key(person))
        case 5:
            person.request("join", table=table, seat=chance.choice([None, 0, 1, 7]), **_key(person))
        case 6:
            person.request("pause", table=table, on=chance.random() < 0.5)
        case 7:
            person.request("tables")
        case _:
            await trio.sleep(chance.choice([1, 11, 40]))


def _full(view: View) -> bool:
    return all(seat.kind != "empty" for seat in view.seats)
