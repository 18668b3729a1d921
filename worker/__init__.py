"""The Celery worker, which claims jobs from the store, runs them and writes their results; and the sweeper.

Celery starts `worker.app`. Each process of its pool has one :class:`worker.runner.Runner` with a
:class:`worker.lease_keeper.LeaseKeeper`; `worker.kinds` has the code that runs each kind of job. `worker.sweeper` is a
process of its own.
"""
