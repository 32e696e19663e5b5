"""The names of ``functorch``, old ones included, for what `minigrad.func` offers."""
