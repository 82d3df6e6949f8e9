"""The rules in force at a table, in sentences, and only those that apply.

Sections and sentences follow the order of play. What every sentence says is a rule of docs/rules.md; a field
that makes no difference at this table is not mentioned.
"""

from collections.abc import Iterator
from typing import NamedTuple

from engine.rules import Rules

from .i18n import Translate
from .rules_fields import card_name, counted


class Section(NamedTuple):
    title: str
    sentences: tuple[str, ...]


def sections(rules: Rules, _: Translate, seats: int | None = None) -> tuple[Section, ...]:
    """The rules as people read them; with `seats`, for a table of that many."""
    parts = (
        (_("The deal"), _deal(rules, _)),
        (_("The opening"), _opening(rules, _, seats)),
        (_("A turn"), _turn(rules, _)),
        (_("Function cards"), _function_cards(rules, _, seats)),
        (_("Dobon"), _dobon(rules, _)),
        (_("Several Dobons, and Dobon return"), _contest(rules, _, seats)),
        (_("Points"), _points(rules, _)),
    )
    found = (Section(title, tuple(sentences)) for title, sentences in parts)
    return tuple(section for section in found if section.sentences)


def _deal(rules: Rules, _: Translate) -> Iterator[str]:
    if rules.rounds == 1:
        yield _("A match is a single round.")
    else:
        yield _("A match has {rounds} rounds.").format(rounds=rules.rounds)
    match rules.jokers:
        case 0:
            yield _("52 cards, no jokers.")
        case 1:
            yield _("52 cards and a joker.")
        case _many:
            yield _("52 cards and two jokers.")
    yield _("Everybody gets {cards}; one more is turned up, the rest is the stock.").format(
        cards=counted(rules.hand, _)
    )


def _opening(rules: Rules, _: Translate, seats: int | None) -> Iterator[str]:
    if rules.opening == "race":
        yield _(
            "Everybody may play a card that fits the turned-up one, or decline: the first to arrive opens."
        )
        yield _("The turned-up card has no effect.")
        if seats != 2:
            yield _(
                "The two players next to the opener, one on each side, then race: "
                "the first to play a card that fits sets the direction."
            )
            if rules.order_by == "rps":
                yield _("If neither plays, rock, paper, scissors between them decides.")
            else:
                yield _("If neither plays, a coin decides.")
        if any(effect == "reverse" for _key, effect in rules.effects):
            yield _("Reverse does nothing on the opener's card: there is no direction yet.")
        yield _("If nobody can open, one more card is turned up.")
        yield _("If somebody could open but nobody does, the starter takes a turn.")
        yield _starter(rules, _)
        return
    yield _("The starter takes the first turn.")
    yield _starter(rules, _)
    if rules.first_card == "effect":
        yield _("The turned-up card acts on the starter as if it had been played.")
    else:
        yield _("The turned-up card has no effect.")


def _starter(rules: Rules, _: Translate) -> str:
    match rules.starter:
        case "rotate":
            return _("The first starter is drawn by lot, then it goes round clockwise.")
        case "random":
            return _("The starter is drawn by lot in every round.")
        case "winner":
            return _(
                "The first starter is drawn by lot, then the winner of the last round starts; "
                "if there is not just one, it goes on clockwise."
            )
        case _loser:
            return _(
                "The first starter is drawn by lot, then the loser of the last round starts; "
                "if there is not just one, it goes on clockwise."
            )


def _turn(rules: Rules, _: Translate) -> Iterator[str]:
    yield _("Play a card of the suit or of the rank of the top card, or draw one.")
    if rules.must_play:
        yield _("Whoever holds a card that fits must play one.")
    else:
        yield _("You may draw although a card fits.")
    if rules.drawn == "end":
        yield _("Drawing ends the turn.")
    elif rules.must_play:
        yield _("The drawn card must be played if it fits; else pass.")
    else:
        yield _("The drawn card may be played if it fits; else pass.")
    if rules.last_call:
        yield _("Call when you play your last card but one, or you draw {cards}.").format(
            cards=counted(rules.last_call, _)
        )
    if rules.out:
        yield _(
            "Whoever plays the last card in hand goes out and wins the round, "
            "unless somebody claims Dobon on it."
        )
    else:
        yield _("The last card of a hand can't be played: only Dobon wins.")
    yield _("When the stock is used up, the cards under the top one are shuffled and become the stock.")
    yield _("If nobody plays or draws for a whole round of turns, it is a stalemate.")


def _function_cards(rules: Rules, _: Translate, seats: int | None) -> Iterator[str]:
    by_effect: dict[str, list[str]] = {}
    for key, effect in rules.effects:
        by_effect.setdefault(effect, []).append(key)
    for effect, keys in by_effect.items():
        names = _(", ").join(card_name(key, _) for key in keys)
        yield _("{cards}: {effect}").format(cards=names, effect=_effect(effect, _))
    ranks = {key for key, _effect_ in rules.effects if len(key) == 1}
    if any(len(key) == 2 and key[0] in ranks for key, _effect_ in rules.effects):
        yield _("Where a single card and its rank are both listed, the single card counts.")
    if "reverse" in by_effect and seats in (None, 2):
        if rules.reverse_two == "skip":
            yield _("With two players, reverse gives the same player another turn.")
        else:
            yield _("With two players, reverse does nothing.")
    if rules.jokers:
        yield _(
            "Joker: fits any time but under another card's attack, names the suit to follow, "
            "and the next player draws 5 cards or answers with a joker. It can't be the last card of a hand."
        )
    if rules.jokers or any(effect.startswith("attack") for effect in by_effect):
        yield _("Every answer adds the count of the card that began; whoever does not answer draws them all.")
        if rules.answer == "must":
            yield _("Whoever can answer an attack must.")
        else:
            yield _("Whoever can answer an attack may draw instead.")
    if rules.out and rules.effects:
        yield _("The last card of a hand has no effect.")


def _effect(effect: str, _: Translate) -> str:
    match effect:
        case "skip":
            return _("the next player loses the turn.")
        case "reverse":
            return _("the direction of play turns.")
        case "wild":
            return _("fits any time but under an attack, and names the suit to follow.")
        case "suit":
            return _("names the suit to follow.")
        case attack:
            return _("the next player draws {cards}, or answers with a card of the same rank.").format(
                cards=counted(int(attack.removeprefix("attack")), _)
            )


def _dobon(rules: Rules, _: Translate) -> Iterator[str]:
    yield _(
        "Whenever somebody plays a card, all others may claim Dobon if their hand counts exactly its value. "
        "It need not be their turn, but the next player must not have acted yet."
    )
    if rules.jokers:
        yield _("A counts 1, number cards their number, J 11, Q 12, K 13, a joker 0.")
        yield _("Nobody can claim a joker or a turned-up card.")
    else:
        yield _("A counts 1, number cards their number, J 11, Q 12, K 13.")
        yield _("Nobody can claim a turned-up card.")
    if rules.dobon_min > 1:
        yield _("Dobon takes at least {cards} in hand.").format(cards=counted(rules.dobon_min, _))
    if rules.dobon_math == "pair":
        yield _("Two cards may also be subtracted, multiplied, or divided where that is exact.")
    if rules.false_dobon:
        cards = counted(rules.false_dobon, _)
        yield _(
            "Whoever claims a Dobon that does not hold draws {cards} and can't claim on that card again."
        ).format(cards=cards)
        if rules.counter == "ask":
            yield _("The same goes for a Dobon return that does not hold.")
    else:
        yield _("A Dobon that does not hold is refused, and nothing else happens.")


def _contest(rules: Rules, _: Translate, seats: int | None) -> Iterator[str]:
    match rules.claims if seats != 2 else None:
        case "last":
            yield _("After each Dobon the time for another starts anew; the last one wins.")
        case "all":
            yield _("Everybody who claims in time wins.")
        case "first":
            yield _("The first Dobon to arrive wins.")
    if rules.claims == "last" and rules.chain_loser == "previous" and seats != 2:
        yield _("The claimant just before the winner loses; with a single Dobon, whoever played the card.")
    else:
        yield _("Whoever played the card loses.")
    match rules.counter:
        case "off":
            yield _("There is no Dobon return.")
            return
        case "auto":
            yield _("If the discarder's remaining hand counts the same, Dobon return follows by itself.")
        case _ask:
            yield _("A discarder whose remaining hand counts the same may claim Dobon return.")
    if rules.counter_min > 1:
        yield _("Dobon return takes at least {cards} in hand.").format(cards=counted(rules.counter_min, _))
    if rules.claims == "all" and seats != 2:
        yield _("Dobon return beats the Dobons: the discarder wins, and all who claimed lose.")
    elif rules.claims == "last" and seats != 2:
        yield _("Dobon return is a claim like any other: if it is the last, the claimant before it loses.")
    else:
        yield _("Dobon return beats the Dobon: the discarder wins, and the claimant loses.")


def _points(rules: Rules, _: Translate) -> Iterator[str]:
    if rules.scoring != "penalty":
        yield _("Points are good: the most win the match.")
        if rules.out:
            yield _("Whoever goes out gets 1 point.")
        if rules.scoring == "wins":
            yield _("A Dobon gives its winner 1 point and takes 1 from its loser.")
        else:
            yield _(
                "A Dobon gives its winner, and takes from its loser, as many points "
                "as there were Dobons on the card, the return included."
            )
        yield _("A stalemate gives none.")
        return
    yield _("Penalty points: the fewest win the match.")
    if rules.out:
        yield _("When somebody goes out, everybody else scores the values of the cards in hand.")
    yield _("In a stalemate everybody scores the values of the cards in hand.")
    yield _("After a Dobon only the loser scores.")
    if rules.claims == "all":
        yield _("The discarder scores what is left in hand and twice the card's value for each Dobon.")
    else:
        yield _("The discarder scores what is left in hand and twice the card's value.")
    if rules.counter != "off" or (rules.claims == "last" and rules.chain_loser == "previous"):
        yield _("A claimant who loses scores three times the card's value.")
    if rules.double_effect and rules.effects:
        yield _("If the card is a function card, that is doubled.")
