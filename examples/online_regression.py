"""akrig's own model: readings arrive one by one, the model learns, predicts, and is saved."""

import numpy as np
import torch
from gpytorch.kernels import ScaleKernel

from akrig import AttentiveKernel, Box, GPRegression, Normalization, Samples, Training


def field(X: np.ndarray) -> np.ndarray:
    """Metres of elevation: a plain in the west, ridges in the east."""
    return np.where(X[:, 0] > 50, 40 * np.sin(X[:, 0] / 3) * np.cos(X[:, 1] / 4), 0.1 * X[:, 1]) + 200


def main(readings: int = 150) -> tuple[float, float]:
    rng = np.random.default_rng(0)
    kernel = AttentiveKernel.with_network(dim=2, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    workspace = Box(lower=(0, 0), upper=(100, 100))
    scales = Normalization.from_workspace(workspace, mean=200.0, std=20.0)
    training = Training(learning_rate=0.02, network_learning_rate=0.02)
    model = GPRegression(ScaleKernel(kernel), noise_variance=0.1, normalization=scales, training=training)
    for _ in range(readings):
        X = rng.uniform(0, 100, (1, 2))
        model.observe(Samples(X, field(X) + rng.normal(0, 0.5, 1)))
        model.fit(steps=1)
    plain, ridges = model.predict(np.array([[25.0, 52.5], [75.0, 52.5]])).std
    print(f"After {readings} readings: {plain:.1f} m uncertain in the plain, {ridges:.1f} m among the ridges.")
    return float(plain), float(ridges)


if __name__ == "__main__":
    main()
