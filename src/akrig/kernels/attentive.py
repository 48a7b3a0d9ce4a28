"""The attentive kernel (Definition 1 of the paper)."""

from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np
import torch
from gpytorch.kernels import Kernel, MaternKernel, RBFKernel, RQKernel
from jaxtyping import Float
from linear_operator import to_dense
from torch import Tensor, nn

from akrig.kernels.attentive_gram import AttentiveGram
from akrig.kernels.gram import DenseGram, Gram
from akrig.kernels.network import EqualWeights, Network
from akrig.kernels.network_kernel import NetworkKernel, same_points
from akrig.kernels.ops import plain
from akrig.kernels.ops.autograd import attentive_gram
from akrig.types import Attention

Family = Literal["rbf", "matern12", "matern32", "matern52", "rq"]
Spacing = Literal["even", "geometric"]
Selection = Literal["shared", "separate", "lengthscales", "instances"]

_FAMILIES = {
    "rbf": RBFKernel,
    "matern12": lambda: MaternKernel(nu=0.5),
    "matern32": lambda: MaternKernel(nu=1.5),
    "matern52": lambda: MaternKernel(nu=2.5),
    "rq": RQKernel,
}


class AttentiveKernel(NetworkKernel):
    r"""Soft selection of lengthscales and of instances.

    $$ k(x, x') = \bar z^\top \bar z' \sum_m \bar w_m\, k_m(x, x')\, \bar w'_m $$

    This is Definition 1 without the amplitude: wrap it in `ScaleKernel`. The bar is normalisation to unit length.

    Args:
        base_kernels: the k_m; with fixed parameters their values are cached and grown, not recomputed.
        attention: maps points to weights over the base kernels, (n, M); rows sum to one.
        membership: maps points to memberships, (n, P); `None` shares `attention` (the paper's choice), `EqualWeights()`
            lets every point see every other.

    Attributes:
        fused: on the CPU in float64, use fused loops where they apply (same points on both sides, fixed base kernels).
            They are differentiable once; set it to False for second derivatives in the parameters.
    """

    fused = True
    base_kernels: Sequence[Kernel]

    def __init__(
        self,
        base_kernels: Iterable[Kernel],
        attention: nn.Module,
        membership: nn.Module | None = None,
        **kwargs,
    ) -> None:
        super().__init__(**kwargs)
        self.base_kernels = nn.ModuleList(base_kernels)  # pyright: ignore[reportAttributeAccessIssue]
        if not len(self.base_kernels):
            raise ValueError("AttentiveKernel needs at least one base kernel; got none.")
        self.attention = attention
        self.membership = membership

    @classmethod
    def with_network(
        cls,
        dim: int,
        *,
        num_lengthscales: int = 10,
        shortest: float = 0.01,
        longest: float = 0.5,
        spacing: Spacing = "even",
        family: Family = "rbf",
        selection: Selection = "shared",
        hidden: int = 10,
        generator: torch.Generator | None = None,
        dtype: torch.dtype | None = None,
        **kwargs,
    ) -> "AttentiveKernel":
        """Fixed lengthscales and small softmax networks, as in the paper.

        Args:
            dim: dimensions of a point.
            num_lengthscales: M, the number of base kernels and of memberships.
            shortest: where the range of lengthscales begins (Eq. 2), in normalised units.
            longest: where it ends.
            spacing: of the lengthscales in it: "even" steps, the paper's, or a "geometric" series.
            family: the base kernels' form.
            selection: one network for weights and memberships ("shared"), one each ("separate", the paper's NNx2), only
                weights ("lengthscales", its Weight), or only memberships over one trainable lengthscale, 0.5 at first
                ("instances", its Mask).
            hidden: units in each of the networks' two hidden layers.
            generator: where the networks' initial weights come from.
            dtype: of all parameters; torch's default if not given.
        """
        if not 0 < shortest <= longest:
            raise ValueError(f"Lengthscales need 0 < shortest <= longest; got {shortest} and {longest}.")
        if selection not in ("shared", "separate", "lengthscales", "instances"):
            raise ValueError(f"selection is shared, separate, lengthscales or instances; got {selection!r}.")

        def softmax_network() -> Network:
            return Network(dim, num_lengthscales, hidden=hidden, output=nn.Softmax(dim=-1), generator=generator)

        attention = EqualWeights() if selection == "instances" else softmax_network()
        membership = {"shared": lambda: None, "lengthscales": EqualWeights}.get(selection, softmax_network)()
        if selection == "instances":
            base_kernels = stationary_kernels(family, torch.tensor([0.5]), dtype=dtype)
            base_kernels[0].requires_grad_(True)
        else:
            lengthscales = _lengthscales(shortest, longest, num_lengthscales, spacing)
            base_kernels = stationary_kernels(family, lengthscales, dtype=dtype)
        return cls(base_kernels, attention, membership, **kwargs).to(dtype or torch.get_default_dtype())

    def weights(self, x: Float[Tensor, "*batch n d"]) -> Float[Tensor, "*batch n M"]:
        """w(x): how much each base kernel counts at x; rows sum to one (Eq. 5)."""
        return self.attention(x)

    def memberships(self, x: Float[Tensor, "*batch n d"]) -> Float[Tensor, "*batch n P"]:
        """z(x): which group x belongs to; points of different groups do not see each other (Eq. 7)."""
        return self.weights(x) if self.membership is None else self.membership(x)

    def effective_lengthscale(self, x: Float[Tensor, "*batch n d"]) -> Float[Tensor, "*batch n"]:
        r"""$\sum_m \bar w_m^2\, \ell_m$: the lengthscales, each by its share of the variance at x."""
        lengthscales = [kernel.lengthscale for kernel in self.base_kernels]
        if any(lengthscale is None or lengthscale.numel() != 1 for lengthscale in lengthscales):
            raise ValueError("effective_lengthscale needs base kernels that have one lengthscale each.")
        shares = plain.normalized(self.weights(x)).square()
        return shares @ torch.cat([lengthscale.reshape(1) for lengthscale in lengthscales])

    @torch.no_grad()
    def explain(self, x: Float[Tensor, "n d"]) -> Attention | None:
        """Nothing if a base kernel has no single lengthscale."""
        if not all(base.has_lengthscale and base.lengthscale.numel() == 1 for base in self.base_kernels):
            return None
        memberships = self.memberships(x).numpy()
        return Attention(
            self.effective_lengthscale(x).numpy().reshape(-1),
            np.array([base.lengthscale.item() for base in self.base_kernels]),
            self.weights(x).numpy(),
            memberships if memberships.shape[1] > 1 else None,
        )

    def normalized_features(self, x: Tensor) -> tuple[Tensor, ...]:
        """(W,) if weights and memberships are shared, else (W, Z): rows of unit length."""
        W = plain.normalized(self.attention(x))
        self.check_num_weights(W.shape[-1])
        return (W,) if self.membership is None else (W, plain.normalized(self.membership(x)))

    def check_num_weights(self, num: int) -> None:
        if num != len(self.base_kernels):
            raise ValueError(f"attention must give one weight per base kernel, {len(self.base_kernels)}; got {num}.")

    def covariance(self, x1: Tensor, x2: Tensor) -> Tensor:
        features1 = self.normalized_features(x1)
        same = same_points(x1, x2)
        if self.fused and same and self._has_fixed_base_kernels() and _suits_fused_loops(x1):
            return attentive_gram(features1, self.base_kernels, x1)
        features2 = features1 if same else self.normalized_features(x2)
        correlations = (to_dense(kernel(x1, x2)) for kernel in self.base_kernels)
        return plain.attentive_cross(features1[0], features1[-1], features2[0], features2[-1], correlations)

    def paired_covariance(self, x1: Tensor, x2: Tensor) -> Tensor:
        features1, features2 = self.normalized_features(x1), self.normalized_features(x2)
        correlations = (to_dense(kernel(x1, x2, diag=True)) for kernel in self.base_kernels)
        return plain.attentive_pairs(features1[0], features1[-1], features2[0], features2[-1], correlations)

    def gram(self) -> Gram:
        """The training covariance for exact inference: cached and fused if the base kernels are fixed."""
        return AttentiveGram(self) if self.fused and self._has_fixed_base_kernels() else DenseGram(self)

    def _has_fixed_base_kernels(self) -> bool:
        fixed = not any(p.requires_grad for kernel in self.base_kernels for p in kernel.parameters())
        return fixed and not self.batch_shape


def _lengthscales(shortest: float, longest: float, num: int, spacing: Spacing) -> Tensor:
    if spacing not in ("even", "geometric"):
        raise ValueError(f"spacing is even or geometric; got {spacing!r}.")
    if spacing == "even":
        return torch.linspace(shortest, longest, num, dtype=torch.float64)
    return torch.from_numpy(np.geomspace(shortest, longest, num))


def _suits_fused_loops(x: Tensor) -> bool:
    return x.device.type == "cpu" and x.dtype == torch.float64 and x.dim() == 2 and not x.requires_grad


def stationary_kernels(family: Family, lengthscales: Tensor, *, dtype: torch.dtype | None = None) -> list[Kernel]:
    """One kernel per lengthscale, parameters fixed."""
    if family not in _FAMILIES:
        raise ValueError(f"family is one of {', '.join(_FAMILIES)}; got {family!r}.")
    kernels = []
    for lengthscale in lengthscales:
        kernel = _FAMILIES[family]().to(dtype or torch.get_default_dtype())
        kernel.lengthscale = lengthscale
        kernels.append(kernel.requires_grad_(False))
    return kernels
