"""Convolutions and their transposes: functions and modules."""
