"""The fused ops behind `minigrad.nn`: convolution, pooling, normalisation, attention, activations, losses."""
