"""Everything on one machine: the programs of the Procfile and a supervisor that keeps them running (`hstar serve`)."""
