"""What improving methods are made of: words that keep solved pieces (`chains`), cycles of three pieces, phases over a
subgroup, beams over boards, and parts of a solution made shortest (`windows`)."""
