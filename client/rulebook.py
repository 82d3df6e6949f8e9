"""The rules in force at a table, as a client can use them, whatever server named them."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from engine.rules import FIELDS, BadRules, Rules
from engine.tables import Tables, tables_for
from protocol.messages import View


def rules_of(view: View) -> Rules:
    """The table's rules. A field or value that this version does not know is passed over."""
    return known_rules(view.rules)


def known_rules(data: dict[str, Any]) -> Rules:
    """`Rules` from the plain data of a message, without what this version does not know."""
    return _parsed(json.dumps(data, default=repr))


def understood(data: dict[str, Any]) -> bool:
    """Whether every field of these rules is known here, with its value."""
    return all(name == "preset" or (name in FIELDS and FIELDS[name].accepts(v)) for name, v in data.items())


def tables_of(view: View) -> Tables:
    """The rules of a table compiled, for its number of seats."""
    return tables_for(rules_of(view), max(2, len(view.seats)))


# By its text: the data of every view is a new dict, and its rules are asked for at every event.
@lru_cache(maxsize=64)
def _parsed(text: str) -> Rules:
    data = json.loads(text)
    known = {name: value for name, value in data.items() if name in FIELDS and FIELDS[name].accepts(value)}
    try:
        return Rules.from_data(known)
    except BadRules:  # each value is one of its field, but they don't go together
        return Rules.preset("dobon")
