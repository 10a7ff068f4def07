"""Reading and writing files, with errors that say what is wrong."""
