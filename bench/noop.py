"""A Celery application whose only task does nothing: the cost of Celery and the broker alone, with default settings."""

import os

from celery import Celery

app = Celery("noop", broker=os.environ.get("HSTAR_BROKER_URL", ""))
app.conf.update(task_default_queue="noop", task_ignore_result=True)


def noop() -> None:
    """Nothing."""


task = app.task(name="noop")(noop)
