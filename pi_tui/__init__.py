"""pi: a full-screen terminal coding agent whose conversations are trees."""

__version__ = "2.0.0"
