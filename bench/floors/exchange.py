"""The least a client of a model can do: `exchange.py HOST:PORT PROMPT` asks, and decodes every event."""

import http.client
import json
import sys

body = json.dumps(
    {"model": "scripted", "stream": True, "messages": [{"role": "user", "content": sys.argv[2]}]}
)
connection = http.client.HTTPConnection(sys.argv[1])
connection.request(
    "POST",
    "/v1/chat/completions",
    body,
    {"content-type": "application/json", "authorization": "Bearer test-key"},
)
answer = []
for line in connection.getresponse():
    if line.startswith(b"data: {"):
        for choice in json.loads(line[6:])["choices"]:
            answer.append(choice["delta"].get("content") or "")
print("".join(answer))
