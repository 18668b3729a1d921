"""The database: SQLAlchemy models, the job state machine, queries; also settings, and wake-up messages (`doorbell`).

Imports run one way: the service and the worker use this package and :mod:`hstar`; this package uses only
:mod:`hstar.schema` and :mod:`hstar.errors`. Start reading at :mod:`store.jobs.machine`.
"""
