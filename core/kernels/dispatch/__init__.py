"""From a call of an operator to what computes it: checks, plans, lowering, running or tracing, recording."""
