"""The compiled engine: rules over rows of integers. `batch` and `Game` are its public faces."""
