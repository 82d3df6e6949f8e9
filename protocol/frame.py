"""Frames (section 1): a 4-byte length, then one msgpack map; and the limits that make foreign bytes safe.

The length is judged before the body is waited for. A payload is looked over once before anything is
built from it: depth, kinds and declared sizes are then known to be covered by bytes that are really
there, so decoding can neither recurse nor allocate beyond the frame.

Decoding is msgspec's: msgpack interns every key, and what Python 3.12 has interned it never lets go, so
that strangers could fill the memory with keys that nobody knows.
"""

import struct
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, cast

import msgpack  # type: ignore[import-untyped]
import msgspec

from .codes import FrameError

CLIENT_LIMIT: Final = 4096
"""Most bytes of a payload from a client."""
SERVER_LIMIT: Final = 1 << 20
"""Most bytes of a payload from a server."""
CLIENT_DEPTH: Final = 8
"""Most levels from a client: the map itself is level 1."""
SERVER_DEPTH: Final = 32
"""Most levels that our client takes from a server; the protocol needs six."""
INT_LIMIT: Final = 1 << 53
"""An int lies within -INT_LIMIT and INT_LIMIT, both included."""
PAD_BLOCK: Final = 256
"""Under TLS a frame to a player is a multiple of so many bytes, its prefix included."""

_PREFIX: Final = struct.Struct(">I")
_PREFIX_SIZE: Final = _PREFIX.size


class FrameReader:
    """Cuts a stream of bytes into payloads. `limit` is the most bytes that a payload may have.

    A bad prefix ends the reader: `frames()` raises FrameError then and ever after, and what is fed
    later is dropped.
    """

    __slots__ = ("_buffer", "_error", "_position", "limit")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._buffer = bytearray()
        self._position = 0
        self._error: FrameError | None = None

    @property
    def partial(self) -> bool:
        """True while part of a frame is held, whose rest has not come (once `frames()` is exhausted)."""
        return self._position < len(self._buffer)

    def feed(self, data: bytes | bytearray | memoryview) -> None:
        """Take bytes as they came; any cut of the stream gives the same payloads."""
        if self._error is None:
            self._buffer += data

    def frames(self) -> Iterator[bytes]:
        """Yield the complete payloads, without their prefix.

        Raises FrameError `bad_frame` at a length of 0 and `frame_too_large` at one above the limit, as
        soon as the prefix is there and after the payloads before it.
        """
        while self._error is None:
            body = self._position + _PREFIX_SIZE
            if body > len(self._buffer):
                return self._trim()
            (length,) = _PREFIX.unpack_from(self._buffer, self._position)
            if not 1 <= length <= self.limit:
                self._error = self._refusal(length)
                self._buffer.clear()
                self._position = 0
                break
            end = body + length
            if end > len(self._buffer):
                return self._trim()
            payload = bytes(self._buffer[body:end])
            self._position = end
            yield payload
        raise self._error

    def _trim(self) -> None:
        """Keep no more than what is still to come out: many readers may wait for the rest of a frame."""
        del self._buffer[: self._position]
        self._position = 0

    def _refusal(self, length: int) -> FrameError:
        if length == 0:
            return FrameError("bad_frame", "a frame has at least one byte")
        return FrameError("frame_too_large", f"a frame has at most {self.limit} bytes")


def encode_frame(message: Mapping[str, Any], limit: int = SERVER_LIMIT) -> bytes:
    """The bytes of one frame, its prefix included.

    Raises ValueError for what the protocol cannot say (text with lone surrogates, a payload above
    `limit`): that is a fault of this side.
    """
    payload: bytes = msgpack.packb(message, use_bin_type=True)
    if len(payload) > limit:
        raise ValueError(f"a payload of {len(payload)} bytes is above the limit of {limit}")
    return _PREFIX.pack(len(payload)) + payload


def pad_frame(frame: bytes, block: int = PAD_BLOCK) -> bytes:
    """The same message with a `pad` key, so that the frame's length is a multiple of `block` bytes.

    The message must not have the key yet. The length of an encrypted record then tells nothing of what
    differs between the receivers of one event, such as how many cards may be played.
    """
    fields, body = _map_header(frame)
    head = b"\xde" + struct.pack(">H", fields + 1) if fields >= 15 else bytes((0x81 + fields,))
    used = _PREFIX_SIZE + len(head) + len(frame) - body + len(_PAD_KEY)
    fill = (-(used + 3)) % block
    payload = head + frame[body:] + _PAD_KEY + b"\xc5" + struct.pack(">H", fill) + bytes(fill)
    if len(payload) > SERVER_LIMIT:
        raise ValueError("the padded payload is above the limit")
    return _PREFIX.pack(len(payload)) + payload


_PAD_KEY: Final = b"\xa3pad"


def _map_header(frame: bytes) -> tuple[int, int]:
    """How many keys the map of a frame of ours has, and where its first key begins."""
    first = frame[_PREFIX_SIZE]
    if first == 0xDE:
        return int.from_bytes(frame[_PREFIX_SIZE + 1 : _PREFIX_SIZE + 3], "big"), _PREFIX_SIZE + 3
    if first & 0xF0 == 0x80:
        return first & 0x0F, _PREFIX_SIZE + 1
    raise ValueError("a frame is one map")


def decode_payload(payload: bytes, depth: int = CLIENT_DEPTH) -> dict[str, Any]:
    """The map of one payload: keys str; values None, bool, int, str, bytes, list and dict.

    Raises FrameError `bad_frame` for anything that section 1 does not allow, always the same for the
    same bytes: nothing is dropped or repaired.
    """
    pairs = _look_over(payload, depth)
    try:
        message: object = msgspec.msgpack.decode(payload)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise _bad("text is not UTF-8") from None
    except TypeError:
        raise _bad("a key is no text") from None
    if not isinstance(message, dict):
        raise _bad("a frame is one map")
    if _pairs(message) != pairs:
        raise _bad("a key comes twice in a map")
    return cast(dict[str, Any], message)


def _bad(message: str) -> FrameError:
    return FrameError("bad_frame", message)


def _pairs(value: dict[object, object] | list[object]) -> int:
    """How many keys the maps of a value have; FrameError for a key that is no text."""
    pairs = 0
    inner: Iterable[object] = value
    if isinstance(value, dict):
        pairs = len(value)
        for key in value:
            if type(key) is not str:
                raise _bad("a key is no text")
        inner = value.values()
    for each in inner:
        if type(each) is dict or type(each) is list:
            pairs += _pairs(each)
    return pairs


def _sizes() -> tuple[int, ...]:
    """By header byte: the bytes of a value whose size the header alone tells, else 0."""
    sizes = [0] * 256
    for byte in (*range(0x80), 0xC0, 0xC2, 0xC3, *range(0xE0, 0x100)):
        sizes[byte] = 1
    for byte in range(0xA0, 0xC0):
        sizes[byte] = 1 + (byte & 0x1F)
    for byte, width in ((0xCC, 1), (0xCD, 2), (0xCE, 4), (0xD0, 1), (0xD1, 2), (0xD2, 4)):
        sizes[byte] = 1 + width
    return tuple(sizes)


def _counts() -> tuple[int, ...]:
    """By header byte: the values (a map: keys and values) of a container without a length field, else -1."""
    counts = [-1] * 256
    for count in range(16):
        counts[0x80 | count] = 2 * count
        counts[0x90 | count] = count
    return tuple(counts)


_SIZES: Final = _sizes()
_COUNTS: Final = _counts()
# Header byte -> width of its length field, which counts bytes; the same where it counts values, with how
# many a unit of it is (a map's: a key and a value).
_BYTES: Final = {0xC4: 1, 0xC5: 2, 0xC6: 4, 0xD9: 1, 0xDA: 2, 0xDB: 4}
_VALUES: Final = {0xDC: (2, 1), 0xDD: (4, 1), 0xDE: (2, 2), 0xDF: (4, 2)}


def _look_over(data: bytes, depth: int) -> int:
    """Walk the headers of a payload; raise FrameError unless it is one value within the limits. Returns how
    many keys its maps have.

    Work is at most one step for each byte, whatever the headers claim.
    """
    end = len(data)
    position = 0
    left = 1  # values still to come at the present level
    outer: list[int] = []
    pairs = 0
    while True:
        while not left:
            if not outer:
                if position != end:
                    raise _bad("bytes follow the map")
                return pairs
            left = outer.pop()
        if position >= end:
            raise _bad("the frame ends within a value")
        byte = data[position]
        left -= 1
        if size := _SIZES[byte]:
            position += size
            continue
        count = _COUNTS[byte]
        if count >= 0:
            position += 1
        elif byte in _VALUES:
            width, each = _VALUES[byte]
            count = each * _number(data, position + 1, width)
            position += 1 + width
        else:
            position += _long(data, position, byte)
            continue
        if len(outer) >= depth:
            raise _bad(f"more than {depth} levels")
        if count > end - position:
            raise _bad("a length is beyond the frame")
        if byte < 0x90 or byte > 0xDD:  # a map
            pairs += count >> 1
        if count:
            outer.append(left)
            left = count


def _long(data: bytes, position: int, byte: int) -> int:
    """The bytes of a value that is neither short nor a container; FrameError for the forbidden kinds."""
    if byte in _BYTES:
        width = _BYTES[byte]
        return 1 + width + _number(data, position + 1, width)
    if byte in (0xCF, 0xD3):
        value = int.from_bytes(data[position + 1 : position + 9], "big", signed=byte == 0xD3)
        if not -INT_LIMIT <= value <= INT_LIMIT:
            raise _bad("an int is beyond 2**53")
        return 9
    if byte in (0xCA, 0xCB):
        raise _bad("a float")
    raise _bad("an unused header byte" if byte == 0xC1 else "an extension type")


def _number(data: bytes, position: int, width: int) -> int:
    if position + width > len(data):
        raise _bad("the frame ends within a value")
    return int.from_bytes(data[position : position + width], "big")
