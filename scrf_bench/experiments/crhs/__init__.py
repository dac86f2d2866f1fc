"""Feng and Liao (FCST 2018): circulant random hypothesis spaces, for classification and regression."""
