"""Assignments and submissions; what a submission is worth is the answer of its job."""
