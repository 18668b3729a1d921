"""Builds of databases for which a solve had no time: jobs that nobody waits for."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import select

from hstar.databases.requests import BACKGROUND
from store.database import Transaction
from store.jobs import machine
from store.jobs.machine import NewJob
from store.jobs.statements import jobs
from store.jobs.states import FINAL

__all__ = ["KIND", "request"]

KIND = "database"


def request(transaction: Transaction, for_job: str, requests: Iterable[str]) -> None:
    """Queue these builds for the owner of a job, without those that are queued or running already."""
    connection = transaction.connection()
    there = set(connection.scalars(select(jobs.c.request).where(jobs.c.kind == KIND, jobs.c.state.not_in(FINAL))))
    owner = connection.scalar(select(jobs.c.owner).where(jobs.c.id == for_job))
    new = [asked for asked in dict.fromkeys(requests) if asked not in there]
    if owner is not None and new:
        machine.submit(transaction, [NewJob(KIND, asked, owner, BACKGROUND, quick=False) for asked in new])
