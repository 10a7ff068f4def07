"""Answers: results as plain data, the same for the command line, HTTP and MCP."""
