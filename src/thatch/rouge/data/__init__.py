"""Word lists that come with the package, each with its source and license."""
