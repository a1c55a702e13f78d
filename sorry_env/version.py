"""The version, read by the build and by `sorry_env.__version__`."""

__version__ = "0.1.0"
