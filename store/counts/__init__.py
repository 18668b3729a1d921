"""Counts for operators: added up in each process, stored in the database.

counts = Counts()
counts.add("jobs_ended", kind="solve", state="done")
counts.observe("solve_seconds", 0.25)
counts.write(sessions)                    # regularly: one transaction, or none if nothing is new

Workers are on any host and may be killed at any time, so they serve no metrics themselves: the API reads what all
of them have written (``/metrics``). A killed process loses what it has counted since: `WRITE_SECONDS` at most.
"""

from store.counts.counts import COUNTERS, HISTOGRAMS, WRITE_SECONDS, Counts, Sample, read

__all__ = ["COUNTERS", "HISTOGRAMS", "WRITE_SECONDS", "Counts", "Sample", "read"]
