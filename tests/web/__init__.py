"""Playing in the browser: server, pages, files. A package, for a conftest beside that of all tests."""
