"""Small training programs, written once for both libraries, which are given as `lib`."""
