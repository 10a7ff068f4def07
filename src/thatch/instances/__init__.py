"""Problems to solve: random, toy, and from files."""
