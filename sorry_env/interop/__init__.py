"""The game as other frameworks want it, one module each; a module imports its framework, this package none."""
