"""Jobs: the state machine (`machine`), its states and statements, the choice of the next job, waiting for an end."""
