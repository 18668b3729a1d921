"""Assignments and submissions; the score of a submission is the answer of its job."""
