"""Running hstar from a checkout: `make run` and what it needs. Nothing here is part of the service."""
