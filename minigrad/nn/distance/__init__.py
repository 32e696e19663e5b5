"""Distances, similarities and losses based on them: functions and modules."""
