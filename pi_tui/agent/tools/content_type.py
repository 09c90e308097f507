"""Telling text from other data, and what that other data is, by its first bytes."""

import codecs

_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"%PDF-", "PDF document"),
    (b"PK\x03\x04", "ZIP archive (or a document in that format)"),
    (b"PK\x05\x06", "empty ZIP archive"),
    (b"\x1f\x8b", "gzip data"),
    (b"BZh", "bzip2 data"),
    (b"\xfd7zXZ\x00", "xz data"),
    (b"\x28\xb5\x2f\xfd", "zstd data"),
    (b"7z\xbc\xaf\x27\x1c", "7-Zip archive"),
    (b"Rar!\x1a\x07", "RAR archive"),
    (b"\x7fELF", "ELF executable"),
    (b"MZ", "Windows executable"),
    (b"\xcf\xfa\xed\xfe", "Mach-O executable"),
    (b"\xca\xfe\xba\xbe", "Java class or Mach-O executable"),
    (b"\x00asm", "WebAssembly module"),
    (b"SQLite format 3\x00", "SQLite database"),
    (b"\xd0\xcf\x11\xe0", "Microsoft Office document"),
    (b"OggS", "Ogg media"),
    (b"ID3", "MP3 audio"),
    (b"fLaC", "FLAC audio"),
    (b"\x00\x00\x01\x00", "Windows icon"),
    (b"II*\x00", "TIFF image"),
    (b"MM\x00*", "TIFF image"),
    (b"wOF2", "WOFF2 font"),
    (b"wOFF", "WOFF font"),
    (b"\x00\x01\x00\x00", "TrueType font"),
)
_ALSO_TEXT = (b"MZ", b"ID3", b"BZh")
_TEXT_CONTROLS = b"\t\n\r\f\x08\x1b"
_ODD = bytes(byte for byte in range(0x20) if byte not in _TEXT_CONTROLS) + b"\x7f"
_MAX_ODD = 0.05


def image_type(head: bytes) -> str | None:
    """The MIME type of an image a model can be shown, or that can be made one; None for anything else."""
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if head.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if head.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return "image/webp"
    if head.startswith(b"BM") and head[6:10] == b"\x00\x00\x00\x00" and len(head) >= 26:
        return "image/bmp"
    return None


def binary_type(head: bytes) -> str | None:
    """What data that is not text seems to be; None for text."""
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "UTF-32 text"
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "UTF-16 text"
    looks_binary = b"\0" in head or _odd_share(head) > _MAX_ODD
    for magic, name in _MAGIC:
        if head.startswith(magic) and (looks_binary or magic not in _ALSO_TEXT):
            return name
    if head[4:8] == b"ftyp":
        return "MP4 media"
    if head.startswith(b"RIFF"):
        return f"RIFF media ({head[8:12].decode('ascii', 'replace').strip()})"
    return "binary data" if looks_binary else None


def _odd_share(head: bytes) -> float:
    return 1 - len(head.translate(None, _ODD)) / len(head) if head else 0.0
