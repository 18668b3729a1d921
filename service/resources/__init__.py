"""What the service answers, a module a resource; each has its operations in ``bp``."""

from service.resources import (
    catalogue,
    databases,
    experiment_answers,
    experiments,
    operations,
    pictures,
    scrambles,
    solves,
    states,
    stats,
)

RESOURCES = (
    solves, pictures, scrambles, experiments, experiment_answers, stats, states, databases, catalogue, operations,
)  # fmt: skip
