"""The explorer's server: it keeps what programs publish and shows it to browsers.

It is a process of its own: a program that is watched sends it records through `minigrad.observe.publish`.
"""
