"""What the plain client prints: the lines that a message adds, and what is shown on request. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.rules import Rules
from protocol import events as e
from protocol.connection import ENDS, Answer
from protocol.fields import TableInfo
from protocol.messages import Error, Leave, OkCreate, OkTables, View, Welcome
from protocol.text import name_key

from .advice import advice, hand_line
from .knowledge import attack_cards, can_dobon, may_claim
from .model import Model, Table
from .notices import Away, Checked, Ended, Message, Sent
from .phrases import DIRECTIONS, Speaker
from .plain_help import FIELDS_HELP, HELP
from .refusals import away, ended, refusal
from .rules_fields import LEVELS, SETTINGS, choices, counted, explain, typed
from .rules_text import sections
from .series import standings


def news(message: Message, after: Model, speak: Speaker, muted: Iterable[str] = ()) -> list[str]:
    """The lines that a message adds; `after` is the model that has it."""
    _ = speak.translate
    match message:
        case Welcome():
            return _welcome(message, speak)
        case Away():
            return [away(message, _)]
        case Ended():
            return [ended(message, _)]
        case Sent():
            return []
        case Answer():
            return _answer(message, speak)
        case Error(code=code):
            # of a connection's end `Away` or `Ended` tells, which follows
            return [] if code in ENDS else [refusal(message, _)]
        case View():
            table = after.tables.get(message.table)
            return look(table, after, speak) if table is not None and table is after.table else []
        case Checked():
            return [speak.checked(message)]
        case e.Chatted(name=name) if name_key(name) in muted:
            return []
        case _:
            return _event(message.table, after, speak)


def _event(number: int, after: Model, speak: Speaker) -> list[str]:
    """What happened at the table that is shown; two games in one column of lines could not be told apart."""
    table = after.tables.get(number)
    if table is None or table is not after.table or not table.log:
        return []
    entry = table.log[-1]
    lines = [speak.sentence(entry)]
    if isinstance(entry.what, e.RoundOver):
        lines += [f"  {line}" for line in speak.results(table.view)]
    elif isinstance(entry.what, e.MatchOver):
        lines += [f"  {line}" for line in standings(entry.what.series, speak)]
    return lines


def _welcome(welcome: Welcome, speak: Speaker) -> list[str]:
    _ = speak.translate
    lines = [
        _("Connected again.")
        if welcome.resumed
        else _("Connected to {server}.").format(server=speak.text(welcome.server))
    ]
    if welcome.seeded:
        lines.append(_("This server is for tests: its cards can be foreseen."))
    return lines


def _answer(answer: Answer, speak: Speaker) -> list[str]:
    _ = speak.translate
    match answer.reply:
        case None:
            return [_("The server has forgotten this session; you are in the lobby.")]
        case Error() as error:
            return [refusal(error, _)]
        case OkTables(tables=tables):
            return list(tables_list(tables, speak))
        case OkCreate(table=table):
            return [_("Table {table} is made.").format(table=table)]
        case _:
            return [_("You have left the table.")] if isinstance(answer.request, Leave) else []


def tables_list(tables: Iterable[TableInfo], speak: Speaker) -> Iterator[str]:
    """A line for each table of the lobby."""
    _ = speak.translate
    phases = {"open": _("open"), "playing": _("playing"), "over": _("match over")}
    some = False
    for info in tables:
        some = True
        people = _(", ").join(
            speak.text(seat.name or "")
            if seat.kind == "human"
            else _("{name} (bot, {level})").format(
                name=speak.text(seat.name or ""), level=_(LEVELS[seat.level or "normal"])
            )
            for seat in info.seats
            if seat.kind != "empty"
        )
        line = _("Table {table} “{name}”: {preset}, {phase}; {people}; {free} of {seats} seats free").format(
            table=info.table,
            name=speak.text(info.name),
            preset=speak.text(info.preset or "-"),
            phase=phases[info.phase],
            people=people or _("nobody"),
            free=sum(seat.kind == "empty" for seat in info.seats),
            seats=len(info.seats),
        )
        yield line + (_(" (password)") if info.password else "")
    if some:
        yield _(
            "“join” or “watch” with the number of a table; “create” makes one, “help” lists the commands."
        )
    else:
        yield _("There are no tables yet; “create” makes one, “help” lists the commands.")


def look(table: Table, model: Model, speak: Speaker) -> list[str]:
    """The table seat by seat, and what lies on it."""
    _, view = speak.translate, table.view
    lines = [_("Table {table} “{name}”").format(table=table.id, name=speak.text(view.name))]
    for seat in view.seats:
        notes = []
        if seat.count is not None:
            notes.append(counted(seat.count, _))
        if view.match is not None:
            notes.append(_("{total} pts").format(total=seat.total))
        if seat.seat == view.you:
            notes.append(_("you"))
        if view.host is not None and view.host.seat == seat.seat and seat.kind == "human":
            notes.append(_("host"))
        if seat.status in ("away", "autopilot", "left"):
            notes.append(_("away"))
        if seat.ready:
            notes.append(_("ready"))
        line = f"  {seat.seat + 1}. {speak.occupant(seat)}"
        lines.append(line + (f" ({_(', ').join(notes)})" if notes else ""))
    if view.spectators:
        names = _(", ").join(map(speak.text, view.spectators))
        lines.append(_("  Watching: {names}").format(names=names))
    return [*lines, *_pile(table, speak), *_last_round(table, speak)]


def _last_round(table: Table, speak: Speaker) -> Iterator[str]:
    """How it ended: who was away then has not seen it."""
    _, view = speak.translate, table.ended
    if view.last_round is not None:
        yield _("  The last round:")
        lines = [speak.round_over(view.last_round, view)]
        if view.last_round.claims:
            lines.append(_(", ").join(speak.placed(claim, view) for claim in view.last_round.claims))
        yield from (f"    {line}" for line in (*lines, *speak.results(view)))


def _pile(table: Table, speak: Speaker) -> Iterator[str]:
    _, view = speak.translate, table.view
    if view.top is None:
        return
    suit = speak.suit(view.suit) if view.suit else ""
    yield _("  Top card {card}, {suit} to follow, {cards} in the stock").format(
        card=speak.card(view.top), suit=suit, cards=counted(view.stock or 0, _)
    )
    if view.direction is not None:
        yield _("  Direction: {direction}").format(direction=_(DIRECTIONS[view.direction]))
    if view.attack is not None:
        yield _("  Attack: {rank} ×{cards} = draw {count}").format(
            rank=speak.rank(view.attack.rank), cards=attack_cards(view), count=view.attack.draw
        )


def status_key(model: Model) -> tuple[object, ...]:
    """What makes the hand and the advice worth printing again when it changes."""
    table = model.table
    if table is None or table.view.you is None or table.closed:
        return ()
    view = table.view
    throws = view.act_on if view.phase == "rps" else None
    asked = view.act_on if view.may else throws
    ended = view.phase == "over" and view.ranking is not None
    wanted = view.phase if view.phase in ("open", "between") or ended else None
    claiming = view.claim_on if view.phase == "claim" and may_claim(view) else None
    return (tuple(view.hand or ()), asked, tuple(view.may or ()), can_dobon(view), wanted, claiming)


def status(model: Model, speak: Speaker, sort: str = "suit") -> list[str]:
    """The hand, and what its owner can do now."""
    table = model.table
    if table is None:
        return []
    lines = [hand_line(table, speak, sort), advice(table, speak)]
    return [f"> {line}" for line in lines if line]


def help_lines(speak: Speaker) -> list[str]:
    """Every command."""
    _ = speak.translate
    lines = [f"  {command:<32} {_(what)}" for command, what in HELP]
    return [*lines, _(FIELDS_HELP).format(settings=", ".join(SETTINGS))]


def rules_lines(table: Table | None, speak: Speaker) -> list[str]:
    """The rules in force, as sentences, and every field and setting as it is typed, with what else could be;
    without a table the fields of a new one."""
    _, lines = speak.translate, []
    rules = Rules.preset("dobon") if table is None else table.rules
    values: dict[str, object] = dict(rules.to_data())
    if table is not None:
        for title, sentences in sections(rules, _, len(table.view.seats)):
            lines += [title, *(f"- {sentence}" for sentence in sentences)]
        values |= {name: value for name, value in table.view.settings.items() if name in SETTINGS}
    lines.append(_("The fields"))
    for field, value in values.items():
        lines.append(f"- {typed(field, value)} [{choices(field)}]: {explain(field, _)}")
    return lines
