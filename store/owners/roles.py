"""The roles of API keys."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """What a key allows: to work alone, to see a course, or to run the service."""

    STUDENT = "student"
    INSTRUCTOR = "instructor"
    OPERATOR = "operator"
