"""A class in one room: pupils join with a name, each works in an own session, and the teacher sees all on a wall."""
