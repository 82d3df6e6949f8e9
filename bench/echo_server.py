"""The other side of `bench.server`: a bare trio echo with the protocol's codec, a task for each connection.

    python -m bench.echo_server          echoes every frame, decoded and encoded again
    python -m bench.echo_server --read   only reads: what an idle connection costs

The first line on stdout is the port.
"""

import sys

import trio

from protocol.frame import CLIENT_LIMIT, FrameReader, decode_payload, encode_frame


async def echo(stream: trio.SocketStream) -> None:
    reader = FrameReader(CLIENT_LIMIT)
    while data := await stream.receive_some(65536):
        reader.feed(data)
        for payload in reader.frames():
            await stream.send_all(encode_frame(decode_payload(payload)))


async def only_read(stream: trio.SocketStream) -> None:
    while await stream.receive_some(65536):
        pass


async def main() -> None:
    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1", backlog=1024)
    sys.stdout.write(f"{listeners[0].socket.getsockname()[1]}\n")
    sys.stdout.flush()
    await trio.serve_listeners(only_read if "--read" in sys.argv else echo, listeners)


if __name__ == "__main__":
    trio.run(main)
