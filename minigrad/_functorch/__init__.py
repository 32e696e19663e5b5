"""Where programs written for ``functorch`` look for what `minigrad.func` offers, and its older names."""
