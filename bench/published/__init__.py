"""Instances that others have published, with their figures beside hstar's: ``python -m bench.published``."""
