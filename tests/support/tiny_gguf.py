"""A language model of a few kilobytes with random weights, which says random words: enough for a real server to run.

The file format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

import random
import struct
from array import array
from pathlib import Path
from typing import Any

ALIGNMENT = 32
UINT32, INT32, FLOAT32, STRING, ARRAY = 4, 5, 6, 8, 9
NORMAL, UNKNOWN, CONTROL, BYTE = 1, 2, 3, 6
WIDTH, HEADS, INNER, TRAINED_CONTEXT = 64, 2, 64, 65_536
WORDS = [
    f"▁{first}{second}" for first in ("ba", "do", "ki", "lu", "me") for second in ("ra", "so", "ti", "vu")
]
TEMPLATE = (
    "{% for message in messages %}{{ message.role }}: {{ message.content }}\n{% endfor %}"
    "{% if add_generation_prompt %}assistant:{% endif %}"
)


def write_model(path: Path) -> None:
    """Writes a model of the architecture `llama`: one layer, a vocabulary of all bytes and twenty words."""
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), *WORDS]
    kinds = [UNKNOWN, CONTROL, CONTROL, *[BYTE] * 256, *[NORMAL] * len(WORDS)]
    fields: list[tuple[str, int, Any]] = [
        ("general.architecture", STRING, "llama"),
        ("general.name", STRING, "tiny"),
        ("llama.context_length", UINT32, TRAINED_CONTEXT),
        ("llama.embedding_length", UINT32, WIDTH),
        ("llama.block_count", UINT32, 1),
        ("llama.feed_forward_length", UINT32, INNER),
        ("llama.attention.head_count", UINT32, HEADS),
        ("llama.attention.head_count_kv", UINT32, HEADS),
        ("llama.attention.layer_norm_rms_epsilon", FLOAT32, 1e-5),
        ("llama.rope.dimension_count", UINT32, WIDTH // HEADS),
        ("tokenizer.ggml.model", STRING, "llama"),
        ("tokenizer.ggml.tokens", ARRAY, (STRING, tokens)),
        ("tokenizer.ggml.scores", ARRAY, (FLOAT32, [-float(place) for place in range(len(tokens))])),
        ("tokenizer.ggml.token_type", ARRAY, (INT32, kinds)),
        ("tokenizer.ggml.bos_token_id", UINT32, 1),
        ("tokenizer.ggml.eos_token_id", UINT32, 2),
        ("tokenizer.ggml.unknown_token_id", UINT32, 0),
        ("tokenizer.chat_template", STRING, TEMPLATE),
    ]
    tensors = _tensors(len(tokens))
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(fields))
    for name, kind, value in fields:
        head += _string(name) + struct.pack("<I", kind) + _value(kind, value)
    offset = 0
    for name, (shape, values) in tensors.items():
        head += _string(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, offset)
        offset += len(_padded(values.tobytes()))
    data = b"".join(_padded(values.tobytes()) for _, values in tensors.values())
    path.write_bytes(_padded(head) + data)


def _tensors(vocabulary: int) -> dict[str, tuple[tuple[int, ...], "array[float]"]]:
    chance = random.Random(7)

    def noise(*shape: int) -> tuple[tuple[int, ...], "array[float]"]:
        count = shape[0] * (shape[1] if len(shape) > 1 else 1)
        return shape, array("f", (chance.gauss(0, 0.5) for _ in range(count)))

    ones = ((WIDTH,), array("f", [1.0] * WIDTH))
    output = noise(WIDTH, vocabulary)
    # Only words are ever said: no half characters, and no end before the limit.
    output[1][: WIDTH * (vocabulary - len(WORDS))] = array("f", [0.0] * WIDTH * (vocabulary - len(WORDS)))
    return {
        "token_embd.weight": noise(WIDTH, vocabulary),
        "output_norm.weight": ones,
        "output.weight": output,
        "blk.0.attn_norm.weight": ones,
        **{f"blk.0.attn_{part}.weight": noise(WIDTH, WIDTH) for part in ("q", "k", "v", "output")},
        "blk.0.ffn_norm.weight": ones,
        "blk.0.ffn_gate.weight": noise(WIDTH, INNER),
        "blk.0.ffn_up.weight": noise(WIDTH, INNER),
        "blk.0.ffn_down.weight": noise(INNER, WIDTH),
    }


def _string(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def _value(kind: int, value: Any) -> bytes:
    match kind:
        case 8:
            return _string(value)
        case 9:
            inner, values = value
            return struct.pack("<IQ", inner, len(values)) + b"".join(_value(inner, one) for one in values)
        case _:
            return struct.pack({UINT32: "<I", INT32: "<i", FLOAT32: "<f"}[kind], value)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % ALIGNMENT)
