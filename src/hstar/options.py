"""The options of a search, each declared once: name, type, range, default, help, and who shows it how.

Everything else reads `OPTIONS`: the request's schema, the command line, the library's keyword arguments, the row, the
link, the form (``GET /v1/algorithms``), experiments and documents. A method names the options that it uses
(`hstar.search.methods`). A new option is a field here, the method's use of it, and a migration for its columns.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType, NoneType
from typing import Annotated, Any, Literal, NamedTuple, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, WithJsonSchema

from hstar.objects import Strict

__all__ = [
    "MAX_WIDTH",
    "OPTIONS",
    "Algorithm",
    "HeuristicOption",
    "LocalOptions",
    "Method",
    "Option",
    "Options",
    "Scratch",
    "Step",
    "TieBreaking",
    "Tuning",
    "Width",
    "flag_of",
    "steps_of",
]

Method = Literal[
    "astar", "greedy", "ida_star", "rbfs", "epea_star", "ara_star", "breadth_first", "bidirectional", "mm", "nbs",
    "constructive", "beam", "two_phase", "windows", "anytime", "plan", "layered",
]  # fmt: skip
#: a method, or the strongest one for the puzzle and the move set
Algorithm = Literal[Method, "auto"]
#: a method that only a step of a plan uses
StepMethod = Literal[Method, "beams", "bundles", "by_shape", "commuting", "insertions", "reduction", "spins", "weights"]
#: of a puzzle that has a solver of its own, the algorithm that uses it: the default, if no option of a search is given
OWN_SOLVER: Mapping[str, Algorithm] = {"clock": "auto", "square1": "anytime"}
TieBreaking = Literal["low_h", "lifo", "fifo", "batch"]

MAX_WIDTH = 10_000_000
Width = Annotated[int, Field(ge=1, le=MAX_WIDTH)]
Weight = Annotated[float, Field(ge=1, le=1000)]
MAX_STEPS = 64


@dataclass(frozen=True, slots=True)
class Shown:
    """What a field's type and description do not say.

    :param label: its name in a form
    :param plural: the field of an experiment that lists its values; None: an experiment has one value
    :param series: how a series with this value is called, with ``{}`` for the value
    :param own: the value in force where it is left out, if that is not the field's default
    :param column: whether a solve's row has it
    :param file: whether the command line also takes a file's name
    :param local: whether it is of the machine that searches, so that no request has it
    """

    label: str
    plural: str | None = None
    series: str = "{}"
    own: Any = None
    column: bool = True
    file: bool = False
    local: bool = False


class Tuning(BaseModel):
    """The options that change what a method does, apart from its heuristic."""

    model_config = ConfigDict(frozen=True)

    weight: Annotated[Weight, Shown("Weight of h", "weights", "weight {:g}")] = Field(
        1.0, description="f = g + weight * h"
    )
    width: Annotated[Width | None, Shown("Width", "widths", "width {}", own=1_000)] = Field(
        None, description="states that beam keeps of each layer (default 1000)"
    )
    tie_breaking: Annotated[TieBreaking, Shown("Ties")] = Field(
        "low_h", description="among open nodes with equal keys: low_h, lifo, fifo or (astar) batch"
    )


class Step(Tuning, Strict):
    """A step of a plan: a method, when it is done, and what share of the limits it may use.

    Shares are parts of what the whole plan may use. A step ends at its share, and the next one begins. A plan ends when
    a solution is proven shortest, when there is none, or with its last step.
    """

    method: StepMethod
    heuristic: str | None = Field(None, description="a name or an expression; left out: the puzzle's own")
    until: Annotated[float, Field(gt=0, le=1)] = Field(
        1.0, description="it ends when this part of the plan's seconds has passed"
    )
    nodes: Annotated[float, Field(gt=0, le=1)] = Field(
        1.0, description="it ends when this part of the plan's expanded or generated nodes is used"
    )
    seconds: Annotated[float, Field(ge=0)] | None = Field(None, description="it ends after this many seconds")
    expanded: Annotated[int, Field(ge=0, le=2**53)] | None = Field(
        None, description="it ends after this many expansions"
    )
    together: bool = Field(False, description="`expanded` counts from the beginning of the plan")
    when: Literal["always", "unsolved", "solved", "known", "improved", "unimproved"] = Field(
        "always",
        description="unsolved, solved: only then; known: while the best solution is the one that was known before; "
        "improved: if there is a shorter one since the method last came to its end; unimproved: if the step before "
        "found none",
    )
    gap_most: Annotated[int, Field(ge=0)] | None = Field(
        None, description="only if the best solution is at most so much longer than the proven bound"
    )
    gap_least: Annotated[int, Field(ge=0)] | None = Field(None, description="only if it is at least so much longer")
    tables: bool = Field(True, description="false: skipped if its heuristic needs tables")
    beyond: bool = Field(False, description="may exceed the limits on nodes, as a first solution does")
    settings: dict[str, Any] = Field(default_factory=dict, description="constants of the method, by name")
    steps: list[Step] = Field(default_factory=list, max_length=MAX_STEPS, description="of the method plan")


_STEPS = TypeAdapter(Annotated[list[Step], Field(min_length=1, max_length=MAX_STEPS)])


def _canonical(given: object) -> object:
    """The text of a plan that is given as a list of steps or as JSON; the same for the same steps.

    :raises ValidationError: with the faults of all steps
    """
    steps = _STEPS.validate_json(given) if isinstance(given, str) else _STEPS.validate_python(given)
    found = [step.model_dump(mode="json", exclude_defaults=True) for step in steps]
    return json.dumps(found, sort_keys=True, separators=(",", ":"))


@lru_cache(maxsize=64)
def steps_of(plan: str | None) -> tuple[Step, ...]:
    """The steps of a plan's text."""
    return () if plan is None else tuple(_STEPS.validate_json(plan))


Plan = Annotated[
    str,
    BeforeValidator(_canonical),
    WithJsonSchema({"anyOf": [{"type": "array", "items": {"type": "object", "title": "Step"}}, {"type": "string"}]}),
]


class Options(Tuning):
    """All options of a request apart from the heuristic, whose answer is an object of its own."""

    plan: Annotated[Plan | None, Shown("Plan", "plans", "plan {}", file=True)] = Field(
        None, description="steps of your own, as JSON; `hstar plan` prints those of auto and anytime"
    )


class HeuristicOption(BaseModel):
    heuristic: Annotated[Annotated[str, Field(min_length=1)] | None, Shown("Heuristic", "heuristics", column=False)] = (
        Field(None, description="a name from /v1/heuristics or an expression over features")
    )


class Scratch(NamedTuple):
    """Where a search may keep files, and how much of them."""

    directory: str
    mib: int

    def files(self, question: str) -> dict[str, Any]:
        """What the kernel takes; files of another question are not gone on from."""
        return {"directory": self.directory, "disk_bytes": self.mib << 20, "key": question}


class LocalOptions(BaseModel):
    threads: Annotated[Annotated[int, Field(ge=1, le=64)], Shown("Threads", column=False, local=True)] = Field(
        1, description="for IDA*, beams and layered, also as parts of others"
    )
    directory: Annotated[Annotated[str, Field(min_length=1)] | None, Shown("Directory", column=False, local=True)] = (
        Field(None, description="layered keeps here what memory cannot hold, and goes on from here after a crash")
    )
    disk_mib: Annotated[Annotated[int, Field(ge=1)], Shown("Disk (MiB)", column=False, local=True)] = Field(
        16_384, description="MiB that files in the directory may take"
    )

    @property
    def scratch(self) -> Scratch | None:
        return None if self.directory is None else Scratch(self.directory, self.disk_mib)


@dataclass(frozen=True, slots=True)
class Option:
    """One option. ``kind`` is its type without None; ``schema`` its JSON Schema."""

    name: str
    kind: Any
    default: Any
    help: str
    shown: Shown

    @property
    def flag(self) -> str:
        """The option of the command line."""
        return flag_of(self.name)

    @property
    def schema(self) -> Mapping[str, Any]:
        found = TypeAdapter(self.kind).json_schema()
        found.pop("$defs", None)
        return found

    def in_force(self, given: Any) -> Any:
        """The value that a method uses that has this option."""
        return self.shown.own if given is None else given


def flag_of(name: str) -> str:
    """The option of the command line for a field of a request; of a limit it is that of ``limit_NAME``."""
    return "--" + name.replace("_", "-")


def _declared(model: type[BaseModel]) -> dict[str, Option]:
    found = {}
    for name, field in model.model_fields.items():
        shown = next(one for one in field.metadata if isinstance(one, Shown))
        kinds = get_args(field.annotation)
        ranges = [one for one in field.metadata if one is not shown]
        if NoneType in kinds:
            kind = next(one for one in kinds if one is not NoneType)
        else:
            kind = Annotated[(field.annotation, *ranges)] if ranges else field.annotation
        found[name] = Option(name, kind, field.default, field.description or "", shown)
    return found


#: every option by its name, in the order in which they are shown
OPTIONS: Mapping[str, Option] = MappingProxyType(
    _declared(HeuristicOption) | _declared(Options) | _declared(LocalOptions)
)
