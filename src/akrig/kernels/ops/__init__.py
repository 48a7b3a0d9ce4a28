"""The arithmetic of the attentive kernel, twice: plain torch for every device and dtype, fused loops for the CPU."""
