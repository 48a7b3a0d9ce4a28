"""GPyTorch kernels: the attentive kernel and the paper's nonstationary baselines."""

from akrig.kernels.attentive import AttentiveKernel
from akrig.kernels.deep import DeepKernel
from akrig.kernels.gibbs import GibbsKernel
from akrig.kernels.network import Bounded, EqualWeights, Network

__all__ = ["AttentiveKernel", "Bounded", "DeepKernel", "EqualWeights", "GibbsKernel", "Network"]
