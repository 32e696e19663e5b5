"""Images resized, resampled, cut into patches and put together again."""
