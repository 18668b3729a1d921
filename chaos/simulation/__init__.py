"""Random histories of jobs: `memory` has the jobs, `world` the actors, `histories` the random choice of actions."""
