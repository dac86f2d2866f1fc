"""The suite's own benchmarks: what its measurements rest on."""
