"""The exact Gaussian kernel, in blocks."""
