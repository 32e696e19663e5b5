"""Pooling and unpooling: functions and modules."""
