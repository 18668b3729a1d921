"""What a search method is: one file of `hstar.search.methods` has its flags, what it refuses, and how it runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Annotated, Any, get_args

from pydantic import ConfigDict, Field

from hstar import schema
from hstar.objects import Strict
from hstar.options import OPTIONS, Step
from hstar.puzzles import MoveSet, Puzzle
from hstar.search.budget import Budget
from hstar.search.problem import Problem
from hstar.search.run import Found, Run, Search

__all__ = ["Constants", "Count", "Method", "Share"]

Count = Annotated[int, Field(ge=1, le=2**53)]
Share = Annotated[float, Field(gt=0, le=1)]


class Constants(Strict):
    """The constants of a method, which a step of a plan may set; of a method without constants."""

    model_config = ConfigDict(strict=False)


@dataclass(frozen=True, kw_only=True)
class Method:
    """One way to search.

    A method has one of four: ``search``, one call of the kernel; ``improve``, which may search many times within a
    share of the budget, offers its solutions, and returns its f-layers if it has any; ``plan``, the steps that it is
    made of; or ``part``, the solve of some pieces, which the plan ``anytime`` does.

    :param summary: one line for lists
    :param duplicates: how states that were seen before are recognised
    :param options: the names of the options that it uses, of `hstar.options.OPTIONS`
    :param choices: of an option that has more values elsewhere, those that it takes
    :param own: of an option what it means here where it is left at its default
    :param optimal: with an admissible heuristic and weight 1 its solutions are shortest
    :param forbidden: it searches puzzles with moves that are forbidden in some states
    :param costs: its moves may cost other numbers than 1
    :param layers: it expands by f, and so has expansions of the last f-layer
    :param improves: it goes on after its first solution; a limit ends it with the best so far
    :param shortens: it can begin with a known solution
    :param shared: several workers of a server may search it together, as far as it is IDA*
    :param settings: its constants, which a step of a plan may set
    :param refuses: why it cannot search a puzzle with these moves, or None
    """

    name: str
    summary: str
    duplicates: schema.DuplicateDetection
    search: Callable[[Search], Found] | None = None
    improve: Callable[[Run, Step, Budget], schema.Layers | None] | None = None
    plan: Callable[[Problem], tuple[Step, ...]] | None = None
    part: Callable[[Run, Step, Budget], Run | None] | None = None
    options: tuple[str, ...] = ()
    choices: Mapping[str, tuple[Any, ...]] = field(default_factory=lambda: MappingProxyType({}))
    own: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    optimal: bool = False
    forbidden: bool = False
    costs: bool = False
    layers: bool = False
    improves: bool = False
    shortens: bool = False
    shared: bool = False
    settings: type[Constants] = Constants
    refuses: Callable[[Puzzle, MoveSet], str | None] = lambda _puzzle, _moves: None

    def __post_init__(self) -> None:
        assert set(self.options) <= set(OPTIONS)
        assert sum(one is not None for one in (self.search, self.improve, self.plan, self.part)) == 1

    def in_force(self, option: str, given: Any) -> Any:
        """The value of an option that it uses."""
        shared = OPTIONS[option].in_force(given)
        return self.own.get(option, shared) if given == OPTIONS[option].default else shared

    @property
    def answers_as(self) -> schema.Method:
        """Its name in answers; methods that only plans have are parts of ``anytime``."""
        return next((name for name in get_args(schema.Method) if name == self.name), "anytime")

    @property
    def heuristic(self) -> bool:
        """Whether it uses a heuristic that the user chooses."""
        return "heuristic" in self.options
