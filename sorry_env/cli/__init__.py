"""The console program's commands, one file a room; `sorry_env.__main__` reads the command line."""
