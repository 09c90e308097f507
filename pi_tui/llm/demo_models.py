"""The models of the demo, known without loading its script."""

from pi_tui.llm.model import Model

TOUR = Model(
    id="tour",
    provider="demo",
    api="demo",
    name="Demo tour",
    reasoning=True,
    input=("text", "image"),
    # Small, so that a few tours fill it and compaction can be seen.
    context_window=12_288,
    max_tokens=4_096,
)
ENDLESS = Model(
    id="endless",
    provider="demo",
    api="demo",
    name="Demo with a large window",
    reasoning=True,
    input=("text", "image"),
    context_window=1_000_000,
    max_tokens=500_000,
)
MODELS = (TOUR, ENDLESS)
"""They differ in their windows only."""
