"""Tests that no job is lost and none is done twice: random histories in memory, and faults in real processes.

`chaos.simulation` runs the rules of the state machine through random histories; `chaos.experiments` starts the real
processes, injects faults, and checks the database afterwards. See `python -m chaos --help`.
"""
