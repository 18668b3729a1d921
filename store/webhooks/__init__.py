"""Webhooks: addresses that are told when a job or an experiment of their owner has ended, and what is to be told."""
