"""The HTTP side: takes requests, sends scripted answers, keeps a log."""

import json
import socket
import struct
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlparse

from . import (
    anthropic_messages,
    judge_anthropic,
    judge_openai,
    judge_responses,
    openai_chat,
    openai_responses,
)
from .judge import Illegal
from .refusals import not_legal, refusal
from .script import Json, Script, blocks_of, usage_of

KEPT_REQUESTS = 2000
SETTLE_SECONDS = 1.0
"""How long a look at the requests waits for those that are about to end."""
FLUSH_BYTES = 16_384
WIRES = {"anthropic": anthropic_messages, "openai": openai_chat, "responses": openai_responses}
JUDGES = {
    "anthropic": judge_anthropic.judge,
    "openai": judge_openai.judge,
    "responses": judge_responses.judge,
}
PATHS = {"/messages": "anthropic", "/chat/completions": "openai", "/responses": "responses"}


class Server(ThreadingHTTPServer):
    """Listens at once; `serve_forever` answers. `port` 0 picks a free one."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, host: str = "127.0.0.1", port: int = 0, *, models: list[str] | None = None) -> None:
        super().__init__((host, port), _Handler)
        self.lock = threading.Lock()
        self.script = Script()
        self.models = models or ["fake-1"]
        self.rate = 0.0
        self.log_path: Path | None = None
        self.requests: list[Json] = []
        self.count = 0
        self.active = 0
        self.hanging = 0
        self._settled = threading.Condition(self.lock)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def control(self, verb: str, body: Any) -> Json | None:
        """Does what a `/_ctl/…` request asks; None for an unknown verb."""
        with self.lock:
            match verb:
                case "push":
                    self.script.push(body)
                case "script":
                    self.script.load(body)
                case "reset":
                    self.script = Script()
                    self.requests.clear()
                case _:
                    return None
            return {"ok": True, "queue": len(self.script.queue)}

    def finished(self, record: Json) -> None:
        record["seconds"] = round(time.time() - record["t"], 4)
        with self.lock:
            self.active -= 1
            self.requests.append(record)
            del self.requests[:-KEPT_REQUESTS]
            self._settled.notify_all()
            if self.log_path:
                with self.log_path.open("a", encoding="utf-8") as log:
                    log.write(json.dumps(record, ensure_ascii=False) + "\n")

    def told(self, count: int) -> list[Json]:
        """The last requests. Those that a client has read to the end just now are waited for."""
        with self.lock:
            self._settled.wait_for(lambda: self.active <= self.hanging, SETTLE_SECONDS)
            return self.requests[-count:]

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def log_message(self, *args: Any) -> None:
        pass

    def setup(self) -> None:
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def do_GET(self) -> None:
        url = urlparse(self.path)
        server = self.server
        match url.path:
            case "/healthz":
                self._send(200, "ok", {"content-type": "text/plain"})
            case "/_ctl/state":
                self._send(
                    200,
                    {"requests": server.count, "queue": len(server.script.queue), "active": server.active},
                )
            case "/_ctl/requests":
                count = int(parse_qs(url.query).get("n", ["0"])[0])
                self._send(200, server.told(count))
            case path if path.endswith("/models"):
                self._send(
                    200, {"object": "list", "data": [{"id": one, "object": "model"} for one in server.models]}
                )
            case _:
                self._send(404, {"error": {"message": f"not found: {self.path}"}})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        path = urlparse(self.path).path
        if path.startswith("/_ctl/"):
            answer = self.server.control(path.removeprefix("/_ctl/"), json.loads(raw or b"null"))
            self._send(200 if answer else 404, answer or {"error": "unknown control"})
            return
        wire = next((wire for ending, wire in PATHS.items() if path.endswith(ending)), None)
        try:
            body = json.loads(raw)
        except ValueError:
            body = None
        if wire is None or not isinstance(body, dict):
            self._send(404 if wire is None else 400, {"error": {"message": f"not served: {self.path}"}})
            return
        self._serve(wire, body, path)

    def _serve(self, wire: str, body: Json, path: str) -> None:
        server = self.server
        record: Json = {
            "t": time.time(),
            "method": "POST",
            "path": self.path,
            "headers": dict(self.headers.items()),
        }
        record |= {
            "client": self.client_address[1],
            "body": body,
            "response": None,
            "status": 200,
            "deltas": 0,
            "end": "ok",
        }
        with server.lock:
            server.count += 1
            server.active += 1
            record["n"] = server.count
            response, complaint = self._choose(wire, body, path)
        try:
            if response is None:
                record.update(status=400, end="refused", response=complaint)
                self._send(400, not_legal(wire, complaint))
            else:
                record["response"] = (
                    response.get("name") or response.get("error") or response.get("text", "")[:60]
                )
                _Answer(self, wire, response, body, record).send()
        except ConnectionError:
            record["end"] = "client_closed"
            self.close_connection = True
        finally:
            server.finished(record)

    def _choose(self, wire: str, body: Json, path: str) -> tuple[Json | None, str]:
        script = self.server.script
        response = script.peek(body, path)
        if not response.get("unchecked"):
            try:
                JUDGES[wire](body)
            except Illegal as illegal:
                return None, str(illegal)
        script.take(response)
        return response, ""

    def _send(
        self, status: int, body: Json | list[Json] | str, headers: dict[str, str] | None = None
    ) -> None:
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(status)
        headers = {"content-type": "application/json", **(headers or {}), "content-length": str(len(data))}
        for name, value in headers.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(data)


class _Answer:
    """One response on its way out."""

    def __init__(self, handler: _Handler, wire: str, response: Json, body: Json, record: Json) -> None:
        self._handler = handler
        self._wire = wire
        self._response = response
        self._body = body
        self._record = record
        self._buffer = bytearray()

    def send(self) -> None:
        response, handler = self._response, self._handler
        time.sleep(float(response.get("delay", 0)))
        if "error" in response or "status" in response or "body" in response:
            status, headers, body = (
                refusal(self._wire, response)
                if "error" in response
                else (response.get("status", 200), {}, response.get("body", {}))
            )
            self._record.update(status=status, end="error")
            handler._send(status, body, {**headers, **response.get("headers", {})})
            return
        number = self._record["n"]
        blocks = blocks_of(response, self._body, number)
        usage = usage_of(response, self._body, blocks)
        wire = WIRES[self._wire]
        if not self._body.get("stream"):
            handler._send(200, wire.whole(response, self._body, blocks, usage, number))
            return
        handler.send_response(200)
        handler.send_header("content-type", "text/event-stream")
        handler.send_header("transfer-encoding", "chunked")
        for name, value in response.get("headers", {}).items():
            handler.send_header(name, value)
        handler.end_headers()
        if "raw" in response:
            self._buffer += response["raw"].encode()
            self._end()
            return
        self._stream(wire.events(response, self._body, blocks, usage, number))

    def _stream(self, events: Iterator[tuple[bool, bytes]]) -> None:
        response = self._response
        rate = float(response.get("rate", self._handler.server.rate) or 0)
        deltas, started = 0, 0.0
        for is_delta, data in events:
            if is_delta:
                if deltas == 0:
                    self._flush()
                    time.sleep(float(response.get("first_delay", 0)))
                    started = time.monotonic()
                if self._mishap(deltas):
                    return
                if rate:
                    self._flush()
                    time.sleep(max(0.0, started + deltas / rate - time.monotonic()))
                deltas += 1
                self._record["deltas"] = deltas
            self._buffer += data
            if rate or len(self._buffer) > FLUSH_BYTES:
                self._flush()
        self._end()

    def _mishap(self, deltas: int) -> bool:
        """Does the bad thing that is due before this delta; True when the answer ends with it."""
        response = self._response
        if response.get("disconnect_after") == deltas:
            self._flush()
            self._record["end"] = "disconnect"
            self._cut(response.get("disconnect_mode", "rst"))
            return True
        if response.get("sse_error_after") == deltas:
            kind = response.get("sse_error", "overloaded_error")
            event = {
                "type": "error",
                "error": {"type": kind, "message": response.get("message", "Overloaded")},
            }
            self._buffer += WIRES[self._wire].sse(event)
            self._record["end"] = "sse_error"
            self._end()
            return True
        if response.get("hang_after") == deltas:
            self._flush()
            self._hang(float(response.get("hang", 3600)))
        if response.get("garbage_after") == deltas:
            self._buffer += b"data: {not json\n\n"
        return False

    def _flush(self) -> None:
        if self._buffer:
            self._handler.wfile.write(b"%x\r\n" % len(self._buffer) + bytes(self._buffer) + b"\r\n")
            self._buffer.clear()

    def _end(self) -> None:
        self._flush()
        self._handler.wfile.write(b"0\r\n\r\n")

    def _hang(self, seconds: float) -> None:
        """Silence that ends early when the client goes away."""
        connection, server = self._handler.connection, self._handler.server
        connection.settimeout(seconds)
        with server.lock:
            server.hanging += 1
        try:
            if connection.recv(1, socket.MSG_PEEK) == b"":
                raise ConnectionResetError
        except TimeoutError:
            pass
        finally:
            with server.lock:
                server.hanging -= 1
            connection.settimeout(None)

    def _cut(self, mode: str) -> None:
        handler = self._handler
        handler.close_connection = True
        if mode == "clean":
            self._end()
        elif mode == "fin":
            handler.connection.shutdown(socket.SHUT_RDWR)
        else:
            # The client must have read what was sent: a reset throws away what is still on the way.
            time.sleep(0.05)
            handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            handler.connection.close()
