"""The exact Gaussian kernel, in blocks."""

from scrf_bench.kernels.gaussian import gaussian_kernel, gaussian_kernel_blocks, gaussian_kernel_dot

__all__ = ["gaussian_kernel", "gaussian_kernel_blocks", "gaussian_kernel_dot"]
