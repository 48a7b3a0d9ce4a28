"""The shipped checks catch what they are meant to catch."""

import gpytorch
import numpy as np
import pytest
import torch
from gpytorch.kernels import Kernel, RBFKernel

from akrig.gp import GPRegression
from akrig.testing import check_kernel, check_model
from akrig.types import Prediction, Samples


class Broken(RBFKernel):
    def __init__(self, how):
        super().__init__()
        self.how = how

    def forward(self, x1, x2, diag=False, **params):
        K = super().forward(x1, x2, diag=diag, **params)
        if self.how == "asymmetric" and not diag:
            return K * (1 + 0.1 * x1[..., :1])
        if self.how == "indefinite":
            return K if diag else K - 0.5
        if self.how == "diagonal" and diag:
            return K * 1.01
        if self.how == "gradient":
            return K * self.lengthscale.detach().square().squeeze()
        if self.how == "batch" and K.dim() > (1 if diag else 2):
            return K * 2
        if self.how == "single precision":
            return K.double()
        if self.how == "nan":
            return K * float("nan")
        return K


@pytest.mark.parametrize(
    ("how", "complaint"),
    [
        ("asymmetric", "not symmetric"),
        ("indefinite", "not positive semidefinite|diagonal"),
        ("diagonal", "diag=True differs"),
        ("gradient", "gradient is wrong"),
        ("batch", "batch"),
        ("single precision", "float32"),
        ("nan", "not finite"),
    ],
)
def test_check_kernel_says_which_promise_was_broken(how, complaint):
    with pytest.raises(AssertionError, match=complaint):
        check_kernel(Broken(how), dim=2)
    check_kernel(Broken("not at all"), dim=2)


def test_check_kernel_finds_gpytorchs_own_gibbs_kernel_indefinite_in_two_dimensions():
    """The reason why akrig has a Gibbs kernel of its own."""

    class HalfExponent(Kernel):
        def forward(self, x1, x2, diag=False, **params):
            l1, l2 = (torch.where(x[..., :1] > 0, 1.0, 0.02).to(x) for x in (x1, x2))
            l1, l2 = (l1.squeeze(-1), l2.squeeze(-1)) if diag else (l1, l2.mT)
            total = l1.square() + l2.square()
            squared = self.covar_dist(x1, x2, diag=diag, square_dist=True)
            return (2 * l1 * l2 / total).sqrt() * torch.exp(-squared / total)

    X = torch.rand(200, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(0)) * 0.4 - 0.2
    with pytest.raises(AssertionError, match="not positive semidefinite"):
        check_kernel(HalfExponent(), dim=2, X=X)


class Overconfident(GPRegression):
    def latent(self, X):
        prediction = super().latent(X)
        return Prediction(prediction.mean, prediction.variance - 10)


class Forgetful(GPRegression):
    @property
    def samples(self):
        return super().samples.after(3)


class Incurious(GPRegression):
    def most_uncertain(self, X):
        return int(np.argmin(self.predict(X).variance))


@pytest.mark.parametrize(
    ("model", "complaint"),
    [
        (Overconfident, "never be negative"),
        (Forgetful, "every reading observed"),
        (Incurious, "largest predicted variance"),
    ],
)
def test_check_model_says_which_promise_was_broken(model, complaint, rng):
    X = rng.uniform(-1, 1, (20, 2))
    with pytest.raises(AssertionError, match=complaint):
        check_model(lambda: model(gpytorch.kernels.ScaleKernel(RBFKernel())), Samples(X, np.sin(3 * X[:, 0])))
