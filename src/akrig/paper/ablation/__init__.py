"""The ablation study: what selecting lengthscales and selecting instances each bring."""
