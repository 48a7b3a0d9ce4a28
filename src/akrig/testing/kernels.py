"""Is it a covariance function, and do its gradients, blocks and batches agree?"""

from copy import deepcopy

import torch
from gpytorch.kernels import Kernel
from linear_operator import to_dense
from torch import Tensor


def degenerate_point_sets(dim: int) -> dict[str, Tensor]:
    """Point sets that break careless kernels, in float64."""
    line = torch.linspace(-1, 1, 12, dtype=torch.float64)[:, None].expand(-1, dim)
    return {
        "a single point": torch.zeros(1, dim, dtype=torch.float64),
        "one point many times": torch.full((7, dim), 0.3, dtype=torch.float64),
        "points on a line": line.clone(),
        "pairs closer than 1e-9": torch.cat([line, line + 1e-10]),
        "a point far away": torch.cat([line, torch.full((1, dim), 1e3, dtype=torch.float64)]),
    }


def check_kernel(kernel: Kernel, *, dim: int, X: Tensor | None = None, tolerance: float = 1e-10) -> None:
    """Symmetric, positive semidefinite, consistent diagonal, blocks and batches, right gradients, both precisions.

    Args:
        kernel: a GPyTorch kernel; a copy of it is checked, in evaluation mode.
        dim: dimensions of a point.
        X: points to check at, (n, dim); random ones if not given. Degenerate point sets are always checked too.
    """
    kernel = deepcopy(kernel).double().eval()
    if X is None:
        X = torch.rand(20, dim, dtype=torch.float64, generator=torch.Generator().manual_seed(0)) * 2 - 1
    for name, points in {"the given points": X.double(), **degenerate_point_sets(dim)}.items():
        K = to_dense(kernel(points)).detach()
        _check_matrix(K, name, tolerance)
        diagonal = to_dense(kernel(points, diag=True)).detach()
        _check_close(diagonal, K.diagonal(), f"diag=True differs from the diagonal at {name}", tolerance)
    _check_blocks(kernel, X.double(), tolerance)
    _check_batches(kernel, X.double(), tolerance)
    _check_gradient(kernel, X.double())
    _check_single_precision(kernel, X.double())


def _check_matrix(K: Tensor, name: str, tolerance: float) -> None:
    assert torch.isfinite(K).all(), f"The kernel is not finite at {name}."
    _check_close(K, K.mT, f"The kernel is not symmetric at {name}", tolerance)
    eigenvalues = torch.linalg.eigvalsh(K)
    smallest, largest = eigenvalues[0].item(), max(eigenvalues[-1].item(), 1e-300)
    assert smallest >= -1e-9 * largest, f"The kernel is not positive semidefinite at {name}: eigenvalue {smallest:.2e}."


def _check_close(actual: Tensor, expected: Tensor, complaint: str, tolerance: float) -> None:
    difference = (actual - expected).abs().max().item() if actual.numel() else 0.0
    scale = max(1.0, expected.abs().max().item() if expected.numel() else 0.0)
    assert difference <= tolerance * scale, f"{complaint}: by up to {difference:.2e}."


def _check_blocks(kernel: Kernel, X: Tensor, tolerance: float) -> None:
    head = max(1, len(X) // 3)
    block = to_dense(kernel(X[:head], X[head:])).detach()
    whole = to_dense(kernel(X)).detach()
    _check_close(block, whole[:head, head:], "k(A, B) differs from the same block of k(A + B, A + B)", tolerance)
    other = X.flip(0)
    pairs = to_dense(kernel(X, other, diag=True)).detach()
    expected = to_dense(kernel(X, other)).detach().diagonal()
    _check_close(pairs, expected, "diag=True differs from the diagonal of k(A, B)", tolerance)


def _check_batches(kernel: Kernel, X: Tensor, tolerance: float) -> None:
    other = X.flip(0) * 0.7
    batch = torch.stack([X, other])
    K = to_dense(kernel(batch)).detach()
    for i, points in enumerate((X, other)):
        _check_close(K[i], to_dense(kernel(points)).detach(), "A batch of points differs from its members", tolerance)
    diagonal = to_dense(kernel(batch, diag=True)).detach()
    _check_close(diagonal, K.diagonal(dim1=-1, dim2=-2), "diag=True differs from the diagonal in a batch", tolerance)


def _check_gradient(kernel: Kernel, X: Tensor, step: float = 1e-6) -> None:
    """Along a random direction through all trainable parameters, against central differences."""
    parameters = [p for p in kernel.parameters() if p.requires_grad]
    if not parameters:
        return
    generator = torch.Generator().manual_seed(1)
    directions = [torch.randn(p.shape, dtype=p.dtype, generator=generator) for p in parameters]
    weights = torch.randn(len(X), len(X), dtype=X.dtype, generator=generator)

    def value() -> Tensor:
        return (to_dense(kernel(X)) * weights).sum()

    gradients = torch.autograd.grad(value(), parameters, allow_unused=True)
    pairs = zip(gradients, directions, strict=True)
    predicted = sum((g * d).sum().item() for g, d in pairs if g is not None)

    def moved(by: float) -> float:
        with torch.no_grad():
            for p, d in zip(parameters, directions, strict=True):
                p.add_(by * d)
            result = value().item()
            for p, d in zip(parameters, directions, strict=True):
                p.sub_(by * d)
        return result

    measured = (moved(step) - moved(-step)) / (2 * step)
    error = abs(predicted - measured)
    assert error <= 1e-5 * max(1.0, abs(measured)), (
        f"The kernel's gradient is wrong: autograd says {predicted:.8g}, finite differences {measured:.8g}."
    )


def _check_single_precision(kernel: Kernel, X: Tensor) -> None:
    single = to_dense(deepcopy(kernel).float()(X.float())).detach()
    assert single.dtype == torch.float32, f"The kernel gives {single.dtype} for float32 points."
    _check_close(single.double(), to_dense(kernel(X)).detach(), "float32 differs from float64", 1e-3)
