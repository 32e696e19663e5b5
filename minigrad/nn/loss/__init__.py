"""Losses: functions and modules."""
