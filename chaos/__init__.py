"""What shows that no job is lost and none is done twice: random histories in memory, and faults in real processes.

`chaos.simulation` drives the rules of the state machine through random histories; `chaos.experiments` starts the real
processes, breaks them in one way or another, and looks at what is in the database afterwards. `python -m chaos --help`.
"""
