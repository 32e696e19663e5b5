"""Faults and hostile input, sought for minutes: ``make faults``, or ``python -m tests.faults``.

The tests that run each time try what is known to have broken something. These programs look for more: generated
requests to every address of the server (schemathesis), bytes that are grown toward code that has not run yet (atheris),
very many records for long, and mutants of the core, which its tests must notice.
"""
