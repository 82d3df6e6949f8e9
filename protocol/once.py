"""Each request of a session is done once and answered once, whatever is sent again (section 3)."""

from collections.abc import Mapping
from enum import Enum, auto
from typing import Any


class Verdict(Enum):
    """What to do with a request, by its id alone."""

    NEW = auto()
    """Do it, and `decide` its answer."""
    AGAIN = auto()
    """It is the last one and decided: send `Requests.answer` again."""
    WAIT = auto()
    """It is still undecided: its answer goes out once, when it is due."""
    DUPLICATE = auto()
    """It was decided and its answer is not kept: `error duplicate`."""


class Requests:
    """The ids of one session. It outlives connections, and, as plain data, the process.

    `last` is the greatest id that arrived (`welcome.last_id`). The answer of that one request is kept,
    so a session costs no more than its last answer and the ids that are undecided.
    """

    __slots__ = ("_undecided", "answer", "last")

    def __init__(self) -> None:
        self.last = 0
        self.answer: Mapping[str, Any] | None = None
        self._undecided: set[int] = set()

    @property
    def undecided(self) -> list[int]:
        """The ids that wait for their decision, in order."""
        return sorted(self._undecided)

    def arrive(self, request: int) -> Verdict:
        """Note that a request with this id arrived. Refused ones (a bad field, the rate) use up theirs."""
        if request > self.last:
            self.last = request
            self.answer = None
            self._undecided.add(request)
            return Verdict.NEW
        if request in self._undecided:
            return Verdict.WAIT
        if request < self.last:
            return Verdict.DUPLICATE
        if self.answer is not None:
            return Verdict.AGAIN
        # Only a question's answer is not written down: to ask it again does no harm.
        self._undecided.add(request)
        return Verdict.NEW

    def await_again(self, request: int) -> None:
        """Note that a request, known from a record, still waits for its decision."""
        if request > self.last:
            self.last = request
            self.answer = None
        self._undecided.add(request)

    def decide(self, request: int, answer: Mapping[str, Any]) -> None:
        """Note the answer of an undecided request. Raises KeyError for any other: that is our bug."""
        self._undecided.remove(request)
        if request == self.last:
            self.answer = answer

    def to_data(self, question: bool = False) -> dict[str, Any]:
        """All of it as plain data, for a record; without the answer of what was only a question."""
        answer = None if question else self.answer
        return {"last": self.last, "undecided": self.undecided, "answer": answer}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> "Requests":
        """What `to_data` wrote."""
        made = cls()
        made.last = data["last"]
        made.answer = data["answer"]
        made._undecided = set(data["undecided"])
        return made
