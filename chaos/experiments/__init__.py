"""The fault experiments, by name. Each module has those of one part of the system."""

from __future__ import annotations

from chaos.experiments import broker, databases, service, supervised, versions, wires, workers
from chaos.experiments.table import Experiment

EXPERIMENTS: dict[str, Experiment] = {
    one.name: one
    for module in (workers, broker, databases, wires, service, supervised, versions)
    for one in module.EXPERIMENTS
}

__all__ = ["EXPERIMENTS", "Experiment"]
