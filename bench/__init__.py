"""What is measured, each figure beside its floor in the same run: `python -m bench`."""
