"""Kernel receive stamps of TCP segments (Linux), and whether segments came out of order."""

import socket
import struct
import time
from typing import Final

# Python's socket module has no name for it; the number is that of every Linux that Python ships wheels for.
_SO_TIMESTAMPNS: Final = 35
_TIMESPEC: Final = struct.Struct("@ll")
_ANCILLARY: Final = 64
_TCP_INFO: Final = 11
_OUT_OF_ORDER: Final = struct.Struct("@I")
_OUT_OF_ORDER_AT: Final = 224
"""Where `tcpi_rcv_ooopack` lies in `struct tcp_info`: segments ever received out of order."""
_TCP_INFO_SIZE: Final = _OUT_OF_ORDER_AT + _OUT_OF_ORDER.size
_SECOND: Final = 1_000_000_000
_PATIENCE: Final = 200_000_000


def enable_stamps(sock: socket.socket) -> None:
    """Ask for stamps, also for what a listening socket will accept. Raises OSError where there are none."""
    sock.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)


def read_stamped(sock: socket.socket, size: int) -> tuple[bytes, int | None, int]:
    """Up to `size` bytes, the wall-clock stamp (ns) of the last segment in them, segments ever out of order.

    The count is taken after the read, so a segment that is in the data is in the count.
    """
    data, ancillary, _, _ = sock.recvmsg(size, _ANCILLARY)
    stamp = None
    for level, kind, content in ancillary:
        if level == socket.SOL_SOCKET and kind == _SO_TIMESTAMPNS and len(content) == _TIMESPEC.size:
            seconds, nanoseconds = _TIMESPEC.unpack(content)
            stamp = seconds * _SECOND + nanoseconds
    info = sock.getsockopt(socket.IPPROTO_TCP, _TCP_INFO, _TCP_INFO_SIZE)
    return data, stamp, _OUT_OF_ORDER.unpack_from(info, _OUT_OF_ORDER_AT)[0]


def stamps_work() -> bool:
    """Send a few bytes over the loopback and see whether they come with a believable stamp."""
    try:
        with socket.socket() as listener, socket.socket() as near:
            enable_stamps(listener)
            listener.bind(("127.0.0.1", 0))
            listener.listen(1)
            near.settimeout(1)
            near.connect(listener.getsockname())
            listener.settimeout(1)
            far, _ = listener.accept()
            with far:
                far.settimeout(1)
                # The kernel begins to stamp a moment after it was first asked on this machine.
                patience = time.monotonic_ns() + _PATIENCE
                while time.monotonic_ns() < patience:
                    if _one_works(near, far):
                        return True
    except (OSError, AttributeError, struct.error):
        pass
    return False


def _one_works(near: socket.socket, far: socket.socket) -> bool:
    before = time.time_ns()
    near.sendall(b"stamp")
    _, stamp, _ = read_stamped(far, 16)
    return stamp is not None and before - _SECOND < stamp < time.time_ns() + _SECOND
