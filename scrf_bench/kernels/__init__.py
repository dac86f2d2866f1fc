"""The exact Gaussian and Matern kernels, in blocks."""

from scrf_bench.kernels.gaussian import gaussian_kernel, gaussian_kernel_blocks, gaussian_kernel_dot
from scrf_bench.kernels.matern import matern_kernel

__all__ = ["gaussian_kernel", "gaussian_kernel_blocks", "gaussian_kernel_dot", "matern_kernel"]
