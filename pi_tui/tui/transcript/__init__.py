"""The conversation on screen: one line-API widget over blocks that render themselves."""
