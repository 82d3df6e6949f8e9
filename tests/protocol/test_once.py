"""Each request is done once and answered once, by the ids alone and over cut connections."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.connection import Answer, ClientConnection, ServerConnection
from protocol.frame import FrameReader, decode_payload, encode_frame
from protocol.messages import Chat, Hello, Request, Welcome
from protocol.once import Requests, Verdict
from tests.protocol.test_connection import HELLO, error, heard, ok, payload, welcome


def test_last_request_is_answered_again_and_older_ones_are_duplicates() -> None:
    book = Requests()
    assert book.arrive(1) is Verdict.NEW
    book.decide(1, {"t": "ok", "re": 1})
    assert book.arrive(1) is Verdict.AGAIN
    assert book.answer == {"t": "ok", "re": 1}
    assert book.arrive(5) is Verdict.NEW
    assert book.arrive(5) is Verdict.WAIT
    assert book.arrive(1) is Verdict.DUPLICATE
    assert book.arrive(3) is Verdict.DUPLICATE
    assert (book.last, book.undecided) == (5, [5])


def test_undecided_request_waits_whatever_comes_after_it() -> None:
    book = Requests()
    book.arrive(1)
    book.arrive(2)
    book.decide(2, {"re": 2})
    assert book.arrive(1) is Verdict.WAIT
    book.decide(1, {"re": 1})
    assert book.arrive(1) is Verdict.DUPLICATE
    assert book.arrive(2) is Verdict.AGAIN
    assert book.answer == {"re": 2}
    for number in (1, 3):
        with pytest.raises(KeyError):
            book.decide(number, {})


@given(st.lists(st.tuples(st.integers(1, 6), st.booleans())))
def test_nothing_is_done_twice(steps: list[tuple[int, bool]]) -> None:
    book, done, answers = Requests(), list[int](), dict[int, Mapping[str, Any]]()
    for number, decides in steps:
        book = Requests.from_data(decode_payload(payload(book.to_data())))
        match book.arrive(number):
            case Verdict.NEW:
                assert number not in done
                done.append(number)
            case Verdict.AGAIN:
                assert book.answer == answers[number]
                assert number == max(done)
            case Verdict.WAIT:
                assert number in done
                assert number not in answers
            case Verdict.DUPLICATE:
                assert number < max(done)
                assert number in answers or number not in done
        if decides and number in book.undecided:
            answers[number] = {"t": "ok", "re": number}
            book.decide(number, answers[number])
    assert done == sorted(done)
    assert book.last == max(done, default=0)


def run_conversation(cut: int) -> tuple[list[Request], list[int]]:
    """Five requests to a server that answers each; the connection breaks once after `cut` bytes went up.

    Gives what the server did, and the ids that the client got answers to.
    """
    client, book = ClientConnection("Haru", "test/1"), Requests()
    done, answered, sent = list[Request](), list[int](), 0
    client.connect()
    for attempt in range(2):
        server, reader, alive = ServerConnection(), FrameReader(4096), True
        while alive and (going := client.data_to_send()):
            if attempt == 0 and sent + len(going) > cut:
                going, alive = going[: cut - sent], False
            sent += len(going)
            reader.feed(going)
            for each in reader.frames():
                message = server.receive(each)
                if isinstance(message, Hello):
                    reply = welcome(resumed=message.token is not None, last_id=book.last)
                else:
                    assert isinstance(message, Request)
                    reply = _served(book, message, done)
                if alive:
                    received = heard(client, reply)
                    answered += [one.request.id for one in received if isinstance(one, Answer)]
                    if attempt == 0 and isinstance(received[0], Welcome):
                        for text in "abcde":
                            client.send(Chat(table=1, text=text))
        client.connect()
    return done, answered


def test_of_a_question_the_record_has_no_answer_and_it_is_asked_again() -> None:
    book = Requests()
    for number in (1, 2):
        book.arrive(number)
        book.decide(number, {"t": "ok", "re": number})
    again = Requests.from_data(book.to_data(question=True))
    assert (again.last, again.answer) == (2, None)
    assert [again.arrive(number) for number in (1, 2, 2)] == [Verdict.DUPLICATE, Verdict.NEW, Verdict.WAIT]
    again.decide(2, {"t": "ok", "re": 2})
    assert again.arrive(2) is Verdict.AGAIN


def test_what_a_record_says_is_undecided_waits_again() -> None:
    book = Requests.from_data({"last": 3, "undecided": [], "answer": {"t": "ok", "re": 3}})
    book.await_again(2)
    assert (book.last, book.undecided, book.arrive(2), book.arrive(3)) == (
        3,
        [2],
        Verdict.WAIT,
        Verdict.AGAIN,
    )
    book.await_again(5)
    assert (book.last, book.answer, book.arrive(5), book.arrive(4)) == (
        5,
        None,
        Verdict.WAIT,
        Verdict.DUPLICATE,
    )
    book.decide(2, {"t": "ok", "re": 2})
    assert book.answer is None


def _served(book: Requests, request: Request, done: list[Request]) -> bytes:
    match book.arrive(request.id):
        case Verdict.NEW:
            done.append(request)
            book.decide(request.id, {"t": "ok", "re": request.id})
        case Verdict.AGAIN:
            assert book.answer is not None
            return encode_frame(book.answer)
        case Verdict.WAIT | Verdict.DUPLICATE:
            return error("duplicate", re=request.id)
    return ok(request.id)


def test_a_cut_at_any_byte_changes_nothing() -> None:
    whole = [Chat(id=number, table=1, text=text) for number, text in enumerate("abcde", 1)]
    first = len(encode_frame(HELLO))
    for cut in range(first, first + 200):
        done, answered = run_conversation(cut)
        assert done == whole
        assert answered == [1, 2, 3, 4, 5]
