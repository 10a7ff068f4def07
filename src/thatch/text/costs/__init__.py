"""Costs: units of budgets, and the printed size of passages."""
