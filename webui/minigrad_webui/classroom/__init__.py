"""A class in one room: pupils join with a name and have their own sessions, and the teacher sees all on a wall."""
