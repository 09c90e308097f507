"""Lines of session files, written out."""

HEADER = (
    b'{"type":"session","version":3,"id":"s-1","timestamp":"2026-01-02T03:04:05.678Z","cwd":"/project"}\n'
)


def user_line(entry_id: str, parent: str | None, text: str = "hello") -> bytes:
    above = "null" if parent is None else f'"{parent}"'
    return (
        f'{{"type":"message","id":"{entry_id}","parentId":{above},"timestamp":"2026-01-02T03:04:06.000Z",'
        f'"message":{{"role":"user","content":"{text}","timestamp":1767323046000}}}}'
    ).encode()


def entry_line(kind: str, entry_id: str, parent: str | None, fields: str = "") -> bytes:
    above = "null" if parent is None else f'"{parent}"'
    more = f",{fields}" if fields else ""
    return (
        f'{{"type":"{kind}","id":"{entry_id}","parentId":{above},'
        f'"timestamp":"2026-01-02T03:04:06.000Z"{more}}}'
    ).encode()


def label_line(entry_id: str, parent: str | None, target: str, label: str | None) -> bytes:
    given = "" if label is None else f',"label":"{label}"'
    return entry_line("label", entry_id, parent, f'"targetId":"{target}"{given}')
