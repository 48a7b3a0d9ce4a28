"""What kernels with networks inside have in common."""

from abc import abstractmethod
from copy import deepcopy

import torch
from gpytorch.kernels import Kernel
from torch import Tensor


class NetworkKernel(Kernel):
    """A kernel whose formula contains networks: nonstationary, the same networks for all of its batch shape."""

    @property
    def is_stationary(self) -> bool:
        return False

    @abstractmethod
    def covariance(self, x1: Tensor, x2: Tensor) -> Tensor:
        """Of all pairs, (*batch, n, n')."""

    @abstractmethod
    def paired_covariance(self, x1: Tensor, x2: Tensor) -> Tensor:
        """Of the i-th of x1 with the i-th of x2, (*batch, n)."""

    def forward(self, x1: Tensor, x2: Tensor, diag: bool = False, last_dim_is_batch: bool = False, **params) -> Tensor:
        if last_dim_is_batch:
            raise ValueError(f"{type(self).__name__} looks at all dimensions together; last_dim_is_batch cannot apply.")
        K = self.paired_covariance(x1, x2) if diag else self.covariance(x1, x2)
        points = K.shape[-1:] if diag else K.shape[-2:]
        batch = torch.broadcast_shapes(self.batch_shape, K.shape[: K.dim() - len(points)])
        return K.expand(*batch, *points)

    def __getitem__(self, index) -> Kernel:
        if not self.batch_shape:
            return self
        member = deepcopy(self)
        if self._batch_shape:
            member._batch_shape = torch.empty(self._batch_shape)[index].shape
        for name, kernel in self.named_sub_kernels():
            owner, _, attribute = name.rpartition(".")
            setattr(member.get_submodule(owner), attribute, kernel[index])
        return member


def same_points(x1: Tensor, x2: Tensor) -> bool:
    """May x2's features be taken from x1? Not if a gradient in either would go astray."""
    return x1 is x2 or (not x1.requires_grad and not x2.requires_grad and torch.equal(x1, x2))
