"""Measurements, run by `make bench`. Nothing here is imported by the library or the service."""
