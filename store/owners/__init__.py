"""Owners: their API keys and roles, the log of changes, idempotency keys, and limits on pattern databases."""
