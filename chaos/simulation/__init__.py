"""Random histories of jobs: `memory` has the jobs, `world` those who handle them, `histories` draws what happens."""
