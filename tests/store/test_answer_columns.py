"""`hstar.schema.Answer` declares the answer of a solve; tables and rows have a column for each of its fields."""

from __future__ import annotations

from typing import Any, Union, get_args, get_type_hints

from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import JSON, BigInteger, Double, Integer, String

from hstar import schema
from hstar.experiments.rows import ExperimentRow
from hstar.search import Result
from store.solves.models import Solve

#: for each type of a field, the types of its column
KEPT = {int: (Integer, BigInteger), float: (Double,), list[str]: (JSON,), schema.Layers: (JSON,)}


def type_of(column: str) -> Any:
    """The type of a column of the answer, apart from null."""
    model = schema.Counters if column in schema.COUNTERS else schema.Answer
    annotation = model.model_fields[column].annotation
    (found,) = {part for part in get_args(annotation) if part is not type(None)} or {annotation}
    return found


@given(st.builds(schema.Answer))
def test_an_answer_comes_back_from_its_columns(answer: schema.Answer) -> None:
    columns = answer.columns()
    assert tuple(sorted(columns)) == tuple(sorted(schema.ANSWER_COLUMNS))
    assert schema.Answer(**schema.Answer.fields_from(columns)) == answer


def test_every_column_of_the_answer_is_in_the_table_of_solves() -> None:
    columns = Solve.__table__.c
    for name in schema.ANSWER_COLUMNS:
        assert columns[name].nullable, name
        assert isinstance(columns[name].type, KEPT.get(type_of(name), (String,))), name


def test_every_column_of_the_answer_is_in_the_rows_of_experiments() -> None:
    hints = get_type_hints(ExperimentRow)
    for name in schema.ANSWER_COLUMNS:
        kept = str if name == "solution" else type_of(name)
        assert hints[name] == Union[kept, None], name  # noqa: UP007  # of a type that is only known here


def test_solves_and_results_have_all_fields_of_answers() -> None:
    for model in (schema.Solve, Result):
        assert issubclass(model, schema.Answer)
        assert set(schema.Answer.model_fields) <= set(model.model_fields)
