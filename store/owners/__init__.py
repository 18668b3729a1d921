"""What belongs to owners: the idempotency keys of their requests."""
