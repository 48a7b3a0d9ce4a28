"""What the grams that keep nothing but their points have in common; imports only torch."""

import torch
from torch import Tensor


class PointStore:
    def __init__(self) -> None:
        self.X: Tensor = torch.empty(0, 0, dtype=torch.float64)

    def __len__(self) -> int:
        return len(self.X)

    def append(self, X: Tensor) -> None:
        self.X = torch.cat([self.X, X]) if len(self) else X.clone()

    def refresh(self) -> None:
        """Nothing was computed that a changed parameter could spoil."""
