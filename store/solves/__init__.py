"""Solves: submitting them, reading them, the objects that the API shows of them."""
