"""A claim whose tail is sent before its head, with raw packets: `python -m bench.out_of_order` (Linux, root).

In a network namespace of its own the clients' TCP is made by hand over a tun device. Each contest is one
honest claim against one that the kernel has in full only afterwards, but whose last byte it stamped before.
It prints how often the cheat came first. In `one read` head and tail are read together; in `two reads` a
piece of the head is read on its own first, while the tail waits behind a gap. `in order` is what a true claim
gets.
"""

import ctypes
import fcntl
import os
import socket
import struct
import subprocess
import time
from typing import Final

import trio

from bench.arrival import MS, Keeper, spin
from protocol.frame import encode_frame
from server.harvest import Harvester
from server.transport import SocketTransport

CONTESTS: Final = 60
SERVER: Final = "10.9.0.1"
CLIENT: Final = "10.9.0.2"
_CLONE_NEWNET: Final = 0x40000000
_TUNSETIFF: Final = 0x400454CA
_IFF_TUN_NO_PI: Final = 0x1001
_SYN, _ACK, _PUSH = 0x02, 0x10, 0x08
_TCP: Final = struct.Struct(">HHIIBBHHH")
_IP: Final = struct.Struct(">BBHHHBBH4s4s")


def open_tun() -> int:
    """Enter a fresh network namespace; returns the device that is its only way out."""
    if ctypes.CDLL(None, use_errno=True).unshare(_CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "no network namespace: this needs root")
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, _TUNSETIFF, struct.pack("16sH22x", b"tun0", _IFF_TUN_NO_PI))
    for command in ("link set lo up", f"addr add {SERVER}/24 dev tun0", "link set tun0 up"):
        subprocess.run(["ip", *command.split()], check=True)
    return device


def checksum(data: bytes) -> bytes:
    """The internet's."""
    padded = data + b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f">{len(padded) // 2}H", padded))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return struct.pack(">H", ~total & 0xFFFF)


class RawClient:
    """TCP by hand: whatever part of the stream is sent when it is told to."""

    def __init__(self, device: int, port: int, server_port: int) -> None:
        self._device = device
        self._ports = port, server_port
        self._first = 1000
        self._theirs = 0

    async def connect(self) -> None:
        self._send(self._first - 1, _SYN, b"")
        with trio.fail_after(5):
            while not self._accepted():  # noqa: ASYNC110 - a raw device tells of nothing
                await trio.sleep(0.001)
        self._send(self._first, _ACK, b"")

    def send(self, at: int, data: bytes) -> None:
        """Send bytes of the stream from its byte `at` on."""
        self._send(self._first + at, _ACK | _PUSH, data)

    def _accepted(self) -> bool:
        try:
            packet = os.read(self._device, 2048)
        except BlockingIOError:
            return False
        if packet[0] >> 4 != 4 or packet[33] != _SYN | _ACK:
            return False
        (port,) = struct.unpack_from(">H", packet, 22)
        self._theirs = struct.unpack_from(">I", packet, 24)[0] + 1
        return bool(port == self._ports[0])

    def _send(self, sequence: int, flags: int, data: bytes) -> None:
        source, target = socket.inet_aton(CLIENT), socket.inet_aton(SERVER)
        tcp = _TCP.pack(*self._ports, sequence, self._theirs, 0x50, flags, 65535, 0, 0)
        pseudo = source + target + struct.pack(">BBH", 0, socket.IPPROTO_TCP, len(tcp) + len(data))
        tcp = tcp[:16] + checksum(pseudo + tcp + data) + tcp[18:]
        length = _IP.size + len(tcp) + len(data)
        ip = _IP.pack(0x45, 0, length, 1, 0, 64, socket.IPPROTO_TCP, 0, source, target)
        os.write(self._device, ip[:10] + checksum(ip) + ip[12:] + tcp + data)


async def contest(kind: str, honest: RawClient, cheat: RawClient) -> None:
    """The server reads between the two parts, and is kept from reading while each is sent."""
    true, false = encode_frame({"claim": 0}), encode_frame({"claim": 1})
    last = len(false) - 1
    if kind == "in order":
        cheat.send(0, false)
        spin_ms()
        honest.send(0, true)
        return
    cheat.send(last, false[last:])
    if kind == "two reads":
        cheat.send(0, false[:1])
        await trio.sleep(0.003)
    spin_ms()
    honest.send(0, true)
    spin_ms()
    start = 1 if kind == "two reads" else 0
    cheat.send(start, false[start:last])


def spin_ms() -> None:
    """One ms in which nothing else of this process runs."""
    spin(time.monotonic_ns() + MS)


async def run(device: int) -> None:
    """Play and print."""
    transport, keeper = SocketTransport(), Keeper()
    harvester = Harvester(transport, keeper)
    (listener,) = transport.listen(SERVER, 0)
    harvester.listen(listener)
    print(f"arrival by {transport.clock}")
    port = 10_000
    async with trio.open_nursery() as nursery:
        nursery.start_soon(harvester.run)
        for kind in ("in order", "one read", "two reads"):
            cheated = 0
            for _ in range(CONTESTS):
                honest, cheat = (
                    RawClient(device, port, listener.port),
                    RawClient(device, port + 1, listener.port),
                )
                port += 2
                await honest.connect()
                await cheat.connect()
                await trio.sleep(0.003)
                keeper.orders.append([])
                await contest(kind, honest, cheat)
                while len(keeper.orders[-1]) < 2:  # noqa: ASYNC110 - nor does the keeper
                    await trio.sleep(0.001)
                cheated += keeper.orders[-1][0] == 1
            print(f"  {kind:9} the cheat first in {cheated} of {CONTESTS}")
        nursery.cancel_scope.cancel()


if __name__ == "__main__":
    trio.run(run, open_tun())
