"""The roles of those who ask."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """What a key lets its owner do: work alone, see a course, or run the service."""

    STUDENT = "student"
    INSTRUCTOR = "instructor"
    OPERATOR = "operator"
