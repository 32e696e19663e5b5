"""Views and copies of another shape: reshape, permute, join, split, strides."""
