"""Solves: submitting and reading them, and converting them to the API's objects."""
