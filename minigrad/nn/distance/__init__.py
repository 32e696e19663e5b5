"""Distances, similarities and the losses made of them: functions and modules."""
