"""The course in the browser: its addresses, its pages, and the open lessons."""
