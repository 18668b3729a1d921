"""What happened, as numbers for those who run the service: added up in each process, kept in the database.

    counts = Counts()
    counts.add("jobs_ended", kind="solve", state="done")
    counts.observe("solve_seconds", 0.25)
    counts.write(sessions)                    # now and then: one transaction, or none if nothing is new

The workers are on any host and may be killed at any time, so they serve no metrics of their own: the API reads what all
of them have written (``/metrics``). A process that is killed takes what it has not written along, ten seconds at most.
"""

from store.counts.counts import COUNTERS, HISTOGRAMS, Counts, Sample, read

__all__ = ["COUNTERS", "HISTOGRAMS", "Counts", "Sample", "read"]
