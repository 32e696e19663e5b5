"""The explorer's server: it keeps what programs publish and shows it to browsers.

It is a separate process: a watched program sends records to it through `minigrad.observe.publish`.
"""
