"""A kernel of your own in a mission; on the command line, here: `akrig run --kernel own_kernel:CauchyKernel`."""

from gpytorch.kernels import Kernel

from akrig.config import build_mission, load_settings, resolve
from akrig.testing import check_kernel


class CauchyKernel(Kernel):
    """Heavier tails than RBF: far readings still say a little."""

    has_lengthscale = True

    def forward(self, x1, x2, diag=False, **params):
        squared = self.covar_dist(x1.div(self.lengthscale), x2.div(self.lengthscale), square_dist=True, diag=diag)
        return 1 / (1 + squared)


def main(budget: int = 150) -> dict[str, float]:
    check_kernel(CauchyKernel(), dim=2)  # a valid covariance function, with right gradients
    options = {"field": "ridges", "kernel": f"{__name__}:CauchyKernel", "strategy": "active", "budget": budget}
    parts = build_mission(resolve(load_settings(None, options)))
    for epoch in parts.mission.epochs():
        print(f"epoch {epoch.index}: {epoch.used.readings} readings, loss {epoch.loss:.3f}")
    scores = parts.scoring(parts.model, parts.model.samples)
    print(f"RMSE {scores['rmse']:.1f} m, {scores['coverage95']:.0%} inside the 95 % intervals")
    return scores


if __name__ == "__main__":
    main()
