"""One run of a solver: its clock, stopping rules, trace and result."""
