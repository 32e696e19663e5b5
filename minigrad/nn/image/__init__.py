"""Images: resizing, resampling, cutting into patches and joining them."""
