"""The resources of the service, one module each, with the operations in ``bp``."""

from service.resources import (
    analyses,
    assignments,
    catalogue,
    certificates,
    courses,
    databases,
    experiment_answers,
    experiments,
    gradebook,
    heuristic_audits,
    keys,
    model_audits,
    operations,
    pictures,
    puzzles,
    records,
    regrades,
    scrambles,
    solves,
    states,
    stats,
    submission_stats,
    submissions,
    traces,
    uploads,
    verifications,
    webhooks,
)

# isort: split
from service.resources import jobs  # which lists all kinds of jobs, after them

RESOURCES = (
    solves, pictures, scrambles, experiments, experiment_answers, stats, submission_stats, states, databases,
    verifications, analyses, heuristic_audits, model_audits, certificates, courses, assignments, submissions, uploads,
    records, regrades, gradebook, jobs, traces, puzzles, catalogue, keys, webhooks, operations,
)  # fmt: skip
