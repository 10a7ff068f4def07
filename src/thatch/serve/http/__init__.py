"""The web server: the page and the HTTP API."""
