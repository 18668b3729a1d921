"""What the service answers, a module a resource; each has its operations in ``bp``."""

from service.resources import (
    assignments,
    catalogue,
    databases,
    experiment_answers,
    experiments,
    heuristic_audits,
    jobs,
    model_audits,
    operations,
    pictures,
    scrambles,
    solves,
    states,
    stats,
    traces,
    verifications,
)

RESOURCES = (
    solves, pictures, scrambles, experiments, experiment_answers, stats, states, databases, verifications,
    heuristic_audits, model_audits, assignments, jobs, traces, catalogue, operations,
)  # fmt: skip
