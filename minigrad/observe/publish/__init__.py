"""Send a recorded program's records to the explorer: find or start its server, connect, deliver."""
