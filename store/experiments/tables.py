"""The table of an experiment, from columns: the library computes it, `hstar.experiments.table`.

A hundred thousand rows as objects take seconds, their columns a fraction of a second.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from sqlalchemy import Table as SqlTable
from sqlalchemy import select
from sqlalchemy.orm import Session

from hstar.experiments.rows import number_groups, true_distances
from hstar.experiments.schema import MEASURES, Axis, Table
from hstar.experiments.table import table_columns, table_of
from store.experiments import records
from store.experiments.models import Experiment, ExperimentMember
from store.solves.models import Solve
from store.statistics.columns import by_name, select_from

_solves = cast(SqlTable, Solve.__table__)
_members = cast(SqlTable, ExperimentMember.__table__)


def table(session: Session, experiment: Experiment, x: Axis = "k", measures: Sequence[str] = tuple(MEASURES)) -> Table:
    """The table of an experiment's searches. Raises KeyError for an unknown measure."""
    size = len(experiment.configurations)
    names = [name for name in table_columns(measures, x) if name not in ("true_distance", "instance", "optimum")]
    found = session.execute(
        select(*select_from(_solves, names))
        .join(_members, _members.c.solve_id == _solves.c.id)
        .where(_members.c.experiment_id == experiment.id)
        .order_by(_members.c.row_index)
    ).all()
    columns = by_name(names, found)
    # All searches of an experiment have the same moves. Proofs of true distances count here, but not as searches.
    instances = [index // size for index in range(len(found))]
    distances = true_distances(instances, columns["length"], columns["optimality"], columns["lower_bound"])
    columns["true_distance"] = distances
    given = records.given_of(experiment)
    for name in ("instance", "optimum"):
        columns[name] = [given[index // size][name] if given else None for index in range(len(found))]
    configurations = list(records.rows(session, experiment, texts=False, last=size))
    searching = [number for number, row in enumerate(configurations) if row.role == "search"]
    every, numbers = number_groups([configurations[number].series for number in searching])
    series = dict(zip(searching, numbers.tolist(), strict=True))
    kept = [index for index in range(len(found)) if index % size in series]
    if len(kept) < len(found):
        columns = {name: [values[index] for index in kept] for name, values in columns.items()}
    return table_of(
        [next(row for row in configurations if row.role == "search" and row.series == one) for one in every],
        [series[index % size] for index in kept],
        columns,
        x,
        measures,
    )
