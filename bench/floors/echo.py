"""Answers each line with a line: the least that a process on two pipes can do."""

import json
import sys

for line in sys.stdin.buffer:
    command = json.loads(line)
    sys.stdout.buffer.write(json.dumps({"id": command["id"], "type": "response"}).encode() + b"\n")
    sys.stdout.buffer.flush()
