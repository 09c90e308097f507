"""`python -m tests.support.fakellm`: see the package."""

import argparse
import contextlib
import json
from pathlib import Path

from .server import Server


def main() -> None:
    parser = argparse.ArgumentParser(prog="fakellm", description="A scripted model server on the loopback.")
    parser.add_argument("--port", type=int, default=8399, help="0 picks a free one")
    parser.add_argument("--port-file", type=Path)
    parser.add_argument("--script", type=Path)
    parser.add_argument("--log", type=Path)
    parser.add_argument("--rate", type=float, default=0.0, help="deltas per second")
    parser.add_argument("--model", action="append", help="an id that /models lists")
    options = parser.parse_args()
    server = Server(port=options.port, models=options.model)
    server.rate = options.rate
    server.log_path = options.log
    if options.script:
        server.script.load(json.loads(options.script.read_text("utf-8")))
    if options.port_file:
        beside = options.port_file.with_suffix(".tmp")
        beside.write_text(str(server.server_address[1]))
        beside.replace(options.port_file)
    print(f"fakellm on {server.url}", flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        server.serve_forever()


main()
