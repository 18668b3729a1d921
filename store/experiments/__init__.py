"""Experiments: a request, and the solves that are its rows."""
