"""Linear and integer programs, solved by HiGHS in a process of its own."""
