"""Loops compiled for the user's own CPU by numba: Fourier and Hadamard transforms, cosines, the fused maps.

Importing a module of this folder imports numba (about half a second), so the maps do it when they are fitted, not
when they are imported. What the modules share is in `jit`: the decorators, the cache on disk, and its status.
"""
