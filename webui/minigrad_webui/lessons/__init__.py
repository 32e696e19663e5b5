"""The course in the browser: its addresses, its pages, the lessons that are open."""
