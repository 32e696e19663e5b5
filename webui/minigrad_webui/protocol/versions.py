"""What a program, a server and a viewer compare before they talk."""

SCHEMA_VERSION = 1
"""Of the records: a reader refuses a newer one by name, and keeps what it could read."""

PROTOCOL_VERSION = 1
"""Of the messages around them."""
