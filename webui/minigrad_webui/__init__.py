"""The explorer's server: it keeps what programs publish and shows it to browsers.

A program only ever imports `minigrad_webui.publisher`; everything else runs in a process of its own.
"""
