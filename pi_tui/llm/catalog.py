"""The models that are known without configuration, from a data file that `scripts/make_catalog.py` makes."""

from pathlib import Path

import msgspec
from msgspec import Struct

from pi_tui.llm.model import Model

CATALOG_FILE = Path(__file__).parent / "data" / "catalog.json"


class Catalog(Struct):
    made: str
    """The day the file was made, as YYYY-MM-DD."""
    sources: dict[str, str]
    """Package → version the facts are from."""
    models: list[Model]
    """Best first within each provider."""


def load_catalog(path: Path = CATALOG_FILE) -> Catalog:
    """Reads the catalog, in a few milliseconds.

    Raises:
        OSError, msgspec.DecodeError: The package is damaged.
    """
    return msgspec.json.decode(path.read_bytes(), type=Catalog)
