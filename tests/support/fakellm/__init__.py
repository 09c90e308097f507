"""A scripted model server for tests: OpenAI chat completions and responses, Anthropic messages, with their bad days.

Standard library only. Start it with `in_thread()` (tests) or `in_process()` (measurements), or by hand:

    python -m tests.support.fakellm --port 8399 --script script.json --log requests.jsonl

Served, under any prefix: `POST …/chat/completions`, `POST …/responses`, `POST …/messages`,
`GET …/models`, `GET /healthz`.
Requests are judged first: what the real services refuse (orphan tool results, roles that do not alternate,
unknown fields, empty texts …) is answered with 400 and leaves the script untouched. Control is JSON over
HTTP, which `FakeLLM` speaks: `POST /_ctl/push`, `/_ctl/script`, `/_ctl/reset`, `GET /_ctl/state` and
`/_ctl/requests`.

A script is a list of responses, or an object:

    {"responses": [R, …],            served in order, one per request
     "rules": [{"when": W, **R}],    looked at first; kept after use unless it has "times": N
     "default": R,                   when the responses are used up (else an echo of the last user text)
     "loop": true}                   start again at the end

W: `contains` (text of the last message), `any_contains` (anywhere in the body), `system_contains`, `model`,
`path`, `has_tools`; all given keys must hold.

R, every key optional:

    text                  assistant text; {{last_user}} {{n}} {{model}} are filled in
    text_tokens           N tokens of varied Markdown instead
    thinking, signature   a thinking block before the text (OpenAI: reasoning_content)
    tool_calls            [{"name", "arguments": {} | "arguments_raw": str, "id"?}] after the text
    blocks                the blocks in an order of your own: {"type": "text" | "thinking" | "tool", …}
    usage                 {"input", "output", "cache_read", "cache_write", "reasoning"}; the rest is estimated
    no_usage              true: send none
    stop                  stop | tool | length | filter, or a raw reason; "none" sends none
    chunk                 characters per delta (4)
    rate                  deltas per second; 0 is as fast as possible
    delay, first_delay    seconds before the headers, before the first delta
    reasoning_field       OpenAI: the field that carries thinking (reasoning_content)
    whole_calls           OpenAI: each tool call in one delta, without an index
    unnumbered            responses: leave out `output_index`, as small servers do
    error                 rate_limit overloaded overflow quota bad_request auth server unavailable too_large
                          html
    retry_after, message  header and text of those errors
    status, headers, body any answer of your own
    disconnect_after      cut the connection after N deltas; disconnect_mode: rst | fin | clean
    sse_error_after       after N deltas an error event (sse_error: its type), then the end
    hang_after, hang      after N deltas silence for S seconds (3600)
    garbage_after         after N deltas a malformed event, then go on
    raw                   the body of the event stream, as it is
    unchecked             true: do not judge the request that gets this response
    repeat, name          use it K times; what the log calls it

The log has one object per request: n, t, client (its port), method, path, headers, body, response, status,
deltas, seconds, end (`ok`, `disconnect`, `sse_error`, `client_closed`, `error`, `refused`).
"""

from .control import FakeLLM, in_process, in_thread

__all__ = ["FakeLLM", "in_process", "in_thread"]
