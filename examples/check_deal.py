"""Checks deals and claims of a record with SHA-256 alone (docs/verify.md): python check_deal.py FILE"""

import json
import sys
from hashlib import sha256
from itertools import count
from pathlib import Path


def shuffle(cards, seed, label):
    blocks = (sha256(seed + label.encode() + n.to_bytes(4, "big")).digest() for n in count())
    words = (int.from_bytes(block[i : i + 4], "big") for block in blocks for i in range(0, 32, 4))
    for i in range(len(cards) - 1, 0, -1):
        j = next(word for word in words if word < 2**32 - 2**32 % (i + 1)) % (i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    return cards


def check_round(match, record):
    seed, deal, reshuffles = bytes.fromhex(record["seed"]), record["events"][0], count(1)
    if "secret" in record:
        secret, nonces = bytes.fromhex(record["secret"]), [bytes.fromhex(n or "") for n in record["nonces"]]
        yield sha256(b"dobon commit" + secret).hexdigest() == record["commit"], "another secret was promised"
        hashed = sha256(b"dobon seed" + secret + b"".join(bytes([len(n)]) + n for n in nonces)).digest()
        yield hashed == seed and len(nonces) == match["seats"], "secret and nonces make another seed"
    deck = [rank + suit for suit in "SHDC" for rank in "A23456789TJQK"]
    stock = iter(shuffle(deck + ["X1", "X2"][: match["rules"]["jokers"]], seed, "deal"))
    hands = [{next(stock) for _ in range(match["rules"]["hand"])} for _ in range(match["seats"])]
    dealt, pile = [{*hand} for hand in deal["hands"]], [*deal["under"], deal["top"]]
    yield hands == dealt and pile == [next(stock) for _ in pile], "the seed deals other cards"
    times = [(step.get("effect", 0), step.get("arrival", 0)) for step in record["steps"]]
    yield times == sorted(times), "a step stands before one that was to be taken sooner"
    discarder, way, claims = None, 1, []
    for step, event in ((taken, event) for taken in record["steps"] for event in taken.get("events", [])):
        kind, way = event["ev"], event.get("direction", way)
        if kind == "played":
            pile, discarder, claims = [*pile, event["card"]], event["seat"], []
        elif kind == "claimed":  # equal arrivals go by seat, from the discarder's neighbour on
            claims.append((step.get("arrival", 0), ((step["seat"] - discarder) * way - 1) % len(hands)))
            yield claims == sorted(claims) and event["order"] == len(claims), "claims out of order"
            yield event["counter"] or event["seat"] == step["seat"], "a claim is given to another seat"
        elif kind == "reshuffled":
            under, pile = shuffle(pile[:-1], seed, f"reshuffle/{next(reshuffles)}"), pile[-1:]
            stock = iter([*stock, *under])
        elif kind in ("drew", "turned"):
            cards = event["cards"] if kind == "drew" else [event["top"]]
            yield cards == [next(stock, None) for _ in cards], "the stock gives other cards"
            pile += cards if kind == "turned" else []


if __name__ == "__main__":
    try:
        data = json.loads(Path(sys.argv[1]).read_bytes())
        rounds = [(m, r) for m in ([data] if "rounds" in data else data) for r in m["rounds"]]
        bad = (f"round {n}: {why}" for n, r in enumerate(rounds, 1) for ok, why in check_round(*r) if not ok)
        fault = next(bad, None if rounds else "it holds no round")
    except (OSError, LookupError, TypeError, ValueError, RuntimeError, AttributeError) as error:
        fault = f"it is no record of matches: {error!r}"
    print(fault or f"deals, draws and the order of claims are as they should be: {len(rounds)} rounds")
    sys.exit(1 if fault else 0)
