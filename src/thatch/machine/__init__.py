"""The machine: its processors, GPUs and worker processes."""
