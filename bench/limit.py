"""How fast plain Python can play something like Dobon: the other side of the engine's speed ratio.

One loop over ints in lists, with no interface, no events, no refusals and no record, for four seats of
random play under simplified rules: match by suit or rank, eights wild, aces skip, twos attack and are
answered by twos, jacks reverse, a drawn card may be played at once, a Dobon is claimed whenever another hand
counts the card, and the discards are shuffled when the stock runs out. A play, a draw, a pass and a Dobon
are one action each, as in the engine.
"""

import time

SEATS = 4
HAND = 5
ACE, TWO, EIGHT, JACK = 0, 1, 7, 10
VALUE = [card % 13 + 1 for card in range(52)]
RANK = [card % 13 for card in range(52)]
SUIT = [card // 13 for card in range(52)]
FITS = [
    [[SUIT[card] == suit or RANK[card] in (rank, EIGHT) for card in range(52)] for rank in range(13)]
    for suit in range(4)
]
ANSWERS = [rank == TWO for rank in RANK]


def shuffle(cards: list[int], x: int) -> int:
    """Shuffle in place from the generator's state; returns its next state."""
    for i in range(len(cards) - 1, 0, -1):
        x = x * 16807 % 2147483647
        j = x % (i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    return x


def play_round(x: int) -> tuple[int, int]:
    """Play one random round from the generator's state; returns (actions, next state)."""
    stock = list(range(52))
    x = shuffle(stock, x)
    hands = [[stock.pop() for _ in range(HAND)] for _ in range(SEATS)]
    counts = [sum([VALUE[card] for card in hand]) for hand in hands]
    top = stock.pop()
    pile = [top]
    suit, rank = SUIT[top], RANK[top]
    seat, step, attack, actions, idle = x & 3, 1, 0, 0, 0
    while True:
        hand = hands[seat]
        fits = ANSWERS if attack else FITS[suit][rank]
        choice = [card for card in hand if fits[card]]
        x = x * 16807 % 2147483647
        pick = x % (len(choice) + 1)
        actions += 1
        if pick == len(choice):
            if len(stock) <= attack:
                under = pile[:-1]
                del pile[:-1]
                x = shuffle(under, x)
                stock = under + stock
            if not stock:
                idle += 1
                if idle == SEATS:
                    return actions, x
                attack = 0
                seat = (seat + step) & 3
                continue
            idle = 0
            if attack:
                for _ in range(min(attack, len(stock))):
                    card = stock.pop()
                    hand.append(card)
                    counts[seat] += VALUE[card]
                attack = 0
                seat = (seat + step) & 3
                continue
            card = stock.pop()
            hand.append(card)
            counts[seat] += VALUE[card]
            actions += 1
            x = x * 16807 % 2147483647
            if not fits[card] or x & 1:
                seat = (seat + step) & 3
                continue
        else:
            card = choice[pick]
        idle = 0
        hand.remove(card)
        pile.append(card)
        suit, rank, value = SUIT[card], RANK[card], VALUE[card]
        counts[seat] -= value
        if value in counts and (counts[seat] != value or counts.count(value) > 1):
            return actions + 1, x
        if not hand:
            return actions, x
        if rank == TWO:
            attack += 2
        elif rank == EIGHT:
            suit = x >> 8 & 3
        elif rank == ACE:
            seat = (seat + step) & 3
        elif rank == JACK:
            step = -step
        seat = (seat + step) & 3


def play(rounds: int, seed: int = 1) -> tuple[int, float]:
    """Play that many rounds; returns (actions, seconds of processor time)."""
    x, actions = seed, 0
    start = time.process_time()
    for _ in range(rounds):
        more, x = play_round(x)
        actions += more
    return actions, time.process_time() - start


if __name__ == "__main__":
    for _ in range(5):
        actions, seconds = play(5000)
        print(f"{actions / seconds:,.0f} actions/s, {5000 / seconds:,.0f} rounds/s")
