"""Functions that make tensors: from data, filled, counted up, or shaped like another tensor."""
