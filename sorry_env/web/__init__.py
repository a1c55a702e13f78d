"""Playing in the browser: a server on this machine, its stored games, and replays as pages.

`server` and `guard` need starlette; what writes a replay into a file needs nothing but the drawing.
"""
