"""The Gibbs kernel: a lengthscale at every point."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from akrig.kernels.gibbs_gram import GibbsGram
from akrig.kernels.gram import DenseGram, Gram
from akrig.kernels.network import Network
from akrig.kernels.network_kernel import NetworkKernel
from akrig.types import Attention


class GibbsKernel(NetworkKernel):
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

    def lengthscale_at(self, x: Float[Tensor, "*batch n d"]) -> Float[Tensor, "*batch n 1"]:
        return self.lengthscale_network(x)

    @torch.no_grad()
    def explain(self, x: Float[Tensor, "n d"]) -> Attention:
        return Attention(self.lengthscale_at(x)[:, 0].numpy())

    def gram(self) -> Gram:
        """The training covariance for exact inference, in fused loops."""
        return DenseGram(self) if self.batch_shape or self.active_dims is not None else GibbsGram(self)

    def covariance(self, x1: Tensor, x2: Tensor) -> Tensor:
        # Not |a|^2 + |b|^2 - 2ab, as GPyTorch has it: that loses the digits of near points when one is far away.
        squared = sum((x1[..., :, None, k] - x2[..., None, :, k]).square() for k in range(x1.shape[-1]))
        return _gibbs(self.lengthscale_at(x1), self.lengthscale_at(x2).mT, squared, x1.shape[-1])

    def paired_covariance(self, x1: Tensor, x2: Tensor) -> Tensor:
        l1, l2 = self.lengthscale_at(x1)[..., 0], self.lengthscale_at(x2)[..., 0]
        return _gibbs(l1, l2, (x1 - x2).square().sum(-1), x1.shape[-1])


def _gibbs(l1: Tensor, l2: Tensor, squared_distance, dim: int) -> Tensor:
    total = l1.square() + l2.square()
    return (2 * l1 * l2 / total).pow(dim / 2) * torch.exp(-squared_distance / total)
