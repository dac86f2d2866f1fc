"""A user's own file: every map over D against the exact kernel and a linear model, and which to take."""
