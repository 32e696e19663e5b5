"""From a recorded program to the explorer: its server is found or started, and records are sent to it."""
