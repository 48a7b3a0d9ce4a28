"""Deep kernel learning: a stationary kernel over a network's features."""

import torch
from gpytorch.kernels import Kernel, RBFKernel
from jaxtyping import Float
from linear_operator import to_dense
from torch import Tensor, nn

from akrig.kernels.gram import DenseGram, Gram
from akrig.kernels.network import Bounded, Network
from akrig.kernels.network_kernel import NetworkKernel, same_points
from akrig.kernels.ops.correlations import is_plain_rbf
from akrig.kernels.rbf_gram import RBFGram
from akrig.kernels.stationary import rbf


class DeepKernel(NetworkKernel):
    r"""A base kernel over learnt features: $k(x, x') = k_\mathrm{base}(\phi(x), \phi(x'))$.

    Args:
        base_kernel: any GPyTorch kernel.
        network: maps points to features.
    """

    def __init__(self, base_kernel: Kernel, network: nn.Module, **kwargs) -> None:
        super().__init__(**kwargs)
        self.base_kernel = base_kernel
        self.network = network

    @classmethod
    def with_network(
        cls,
        dim: int,
        *,
        num_features: int = 10,
        hidden: int = 10,
        base_kernel: Kernel | None = None,
        generator: torch.Generator | None = None,
        **kwargs,
    ) -> "DeepKernel":
        """The paper's baseline: a D-10-10-10 network, features rescaled to [-0.95, 0.95], RBF over them."""
        network = Bounded(Network(dim, num_features, hidden=hidden, generator=generator))
        return cls(RBFKernel() if base_kernel is None else base_kernel, network, **kwargs)

    def features(self, x: Float[Tensor, "*batch n d"]) -> Float[Tensor, "*batch n m"]:
        return self.network(x)

    def gram(self) -> Gram:
        """The training covariance for exact inference: in fused loops if the base kernel is plain RBF."""
        fused = is_plain_rbf(self.base_kernel) and not self.batch_shape and self.active_dims is None
        return RBFGram(self.base_kernel, self.network) if fused else DenseGram(self)

    def covariance(self, x1: Tensor, x2: Tensor) -> Tensor:
        return to_dense(self.base_kernel(*self._both_features(x1, x2)))

    def paired_covariance(self, x1: Tensor, x2: Tensor) -> Tensor:
        return to_dense(self.base_kernel(*self._both_features(x1, x2), diag=True))

    def _both_features(self, x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
        """In one pass when the points are the same: half the work, and one range for `Bounded` to learn."""
        features = self.features(x1)
        return features, features if same_points(x1, x2) else self.features(x2)


def deep(
    dim: int, *, hidden: int, num_features: int, lengthscale: float, generator: torch.Generator | None = None
) -> DeepKernel:
    """As settings describe it; the lengthscale is the base kernel's at first."""
    base_kernel = rbf(lengthscale)
    return DeepKernel.with_network(
        dim, hidden=hidden, num_features=num_features, base_kernel=base_kernel, generator=generator
    )
