"""The Celery worker: hears the bell, claims jobs from the store, runs them, writes their ends; and the sweeper.

`worker.app` is what Celery starts. One process of its pool is one :class:`worker.runner.Runner`, with a
:class:`worker.lease_keeper.LeaseKeeper` beside it; `worker.kinds` says how each kind of job is run. `worker.sweeper` is
a process of its own.
"""
