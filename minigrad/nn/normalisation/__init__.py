"""Normalisation over a batch, a layer, a group or an instance: functions and modules."""
