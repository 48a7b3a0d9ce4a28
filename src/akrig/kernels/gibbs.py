"""The Gibbs kernel: a lengthscale at every point."""

import torch
from gpytorch.kernels import Kernel
from jaxtyping import Float
from torch import Tensor, nn

from akrig.kernels.network import Network


class GibbsKernel(Kernel):
    r"""RBF with an input-dependent lengthscale $\ell(x)$.

    $$ k(x, x') = \left(\frac{2\,\ell\,\ell'}{\ell^2 + \ell'^2}\right)^{D/2}
       \exp\left(-\frac{\lVert x - x' \rVert^2}{\ell^2 + \ell'^2}\right) $$

    The exponent D/2 keeps it positive definite in every dimension D, and a constant lengthscale gives RBF exactly.

    Args:
        lengthscale_network: maps points to one positive number each.
    """

    def __init__(self, lengthscale_network: nn.Module, **kwargs) -> None:
        super().__init__(**kwargs)
        self.lengthscale_network = lengthscale_network

    @classmethod
    def with_network(
        cls, dim: int, *, hidden: int = 10, generator: torch.Generator | None = None, **kwargs
    ) -> "GibbsKernel":
        """The paper's baseline: a D-10-10-1 network with softplus."""
        return cls(Network(dim, 1, hidden=hidden, output=nn.Softplus(), generator=generator), **kwargs)

    @property
    def is_stationary(self) -> bool:
        return False

    def lengthscale_at(self, x: Float[Tensor, "*batch n d"]) -> Float[Tensor, "*batch n 1"]:
        return self.lengthscale_network(x)

    def forward(self, x1: Tensor, x2: Tensor, diag: bool = False, last_dim_is_batch: bool = False, **params) -> Tensor:
        if last_dim_is_batch:
            raise ValueError("GibbsKernel has one lengthscale for all dimensions; last_dim_is_batch cannot apply.")
        l1, l2 = self.lengthscale_at(x1), self.lengthscale_at(x2)
        l1, l2 = (l1.squeeze(-1), l2.squeeze(-1)) if diag else (l1, l2.transpose(-1, -2))
        sum_of_squares = l1.square() + l2.square()
        squared_distance = self.covar_dist(x1, x2, diag=diag, square_dist=True)
        prefactor = (2 * l1 * l2 / sum_of_squares).pow(x1.shape[-1] / 2)
        return prefactor * torch.exp(-squared_distance / sum_of_squares)
