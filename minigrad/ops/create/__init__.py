"""Functions that create tensors: from data, filled, as ranges, or shaped like another tensor."""
