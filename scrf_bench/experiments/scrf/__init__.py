"""Feng, Hu, Liao: Random Feature Mapping with Signed Circulant Matrix Projection (IJCAI 2015)."""
