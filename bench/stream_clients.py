"""Thousands of WebSocket clients in one loop, which record the age of the prices they receive."""

import json
import re
import select
import socket
import time

_PRICE_TIME = re.compile(rb'"tsp":(\d+)}')
_UPGRADE = (
    b"GET / HTTP/1.1\r\nHost: bench\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
_PRICE = b'{"op":"price"'
_PONG = b"\x8a\x80\x00\x00\x00\x00"
_SAMPLED = 10
_SLOW_READ, _SLOW_BUFFER = 256, 4096


class StreamClients:
    """All clients of one run. `ages` has the ages of the prices received, in ms, of a tenth of the clients."""

    def __init__(self, host: str, port: int, key: str) -> None:
        """Store the address and the key; `connect` opens the connections."""
        self._to, self._key = (host, port), key
        self._poll = select.epoll()
        self._sockets: dict[int, socket.socket] = {}
        self._slow: list[socket.socket] = []
        self.reset()

    def reset(self) -> None:
        """Start a new measurement."""
        self.ages: list[float] = []
        self.frames = 0

    def await_server(self) -> None:
        """Wait until the server listens."""
        while True:
            try:
                socket.create_connection(self._to, 1).close()
            except OSError:
                time.sleep(0.05)
            else:
                return

    def connect(self, selections: list[list[str]], slow: int) -> None:
        """Open a connection for each list of pairs, and receive from the open ones meanwhile."""
        for number, pairs in enumerate(selections):
            is_slow = number < slow
            sock = socket.socket()
            if is_slow:
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _SLOW_BUFFER)
            sock.settimeout(30)
            sock.connect(self._to)
            sock.sendall(
                _UPGRADE
                + _text({"op": "auth", "key": self._key})
                + _text({"op": "subscribe", "stream": "fx", "pairs": pairs})
            )
            seen = b""
            while b"Subscribed to 1 stream" not in seen:
                got = sock.recv(65536)
                if not got:
                    raise RuntimeError(f"connection {number} was closed: {seen!r}")
                seen += got
            sock.setblocking(False)
            self._sockets[sock.fileno()] = sock
            if is_slow:
                self._slow.append(sock)
            else:
                self._poll.register(sock.fileno(), select.EPOLLIN)
            if number % 50 == 0:
                self.receive_for(0.005)

    def receive_for(self, seconds: float) -> None:
        """Receive from all clients; slow ones read only a little each second."""
        end, slowly = time.monotonic() + seconds, time.monotonic() + 1
        sockets, poll = self._sockets, self._poll
        while time.monotonic() < end:
            for number, _ in poll.poll(0.01, 2000):
                data = sockets[number].recv(65536)
                if not data:
                    raise RuntimeError("the server closed a connection")
                if b"\x89\x00" in data:
                    sockets[number].send(_PONG)
                self.frames += data.count(_PRICE)
                if number % _SAMPLED == 0:
                    now, times = time.time() * 1000, _PRICE_TIME.findall(data)
                    self.ages += [now - int(at) for at in times]
            if time.monotonic() > slowly:
                slowly += 1
                self._read_slowly()

    def _read_slowly(self) -> None:
        for sock in self._slow:
            try:
                sock.recv(_SLOW_READ)
            except BlockingIOError:
                continue


def _text(value: object) -> bytes:
    payload = json.dumps(value).encode()
    size = len(payload)
    head = bytes((0x81, 0x80 | size)) if size < 126 else bytes((0x81, 0xFE)) + size.to_bytes(2, "big")
    return head + b"\x00\x00\x00\x00" + payload  # a mask of zeros is valid
