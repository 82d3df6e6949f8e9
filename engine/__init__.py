"""The rules of Dobon, pure: no clock, no I/O, no chance but a seed.

A whole match, everybody doing the first thing they may:

>>> from engine import Match, Phase, Rules
>>> match = Match(Rules.from_data({"preset": "pageone", "rounds": 2}), seats=3)
>>> while not match.over:
...     round = match.deal(seed=bytes([match.finished] * 32))
...     while round.phase is not Phase.OVER:
...         actions = round.legal_actions()
...         round.apply(actions[0]) if actions else round.expire()
...     match.finish(round)
>>> [(place["seat"], place["total"]) for place in match.ranking()]
[(1, 1), (2, 1), (0, 0)]

`Rules` are data, `Round` is the state machine, `view` builds what one viewer may know, `Event`s say what
happened. `round.apply` raises `Refused` for an action against the rules.
"""

from .actions import Action, Do
from .events import Event, event_data
from .legality import Refused
from .match import Match
from .round import Round
from .rules import BadRules, Rules
from .state import Phase
from .view import View, view

__all__ = [
    "Action",
    "BadRules",
    "Do",
    "Event",
    "Match",
    "Phase",
    "Refused",
    "Round",
    "Rules",
    "View",
    "event_data",
    "view",
]
