"""Work for others: requests checked, done in processes of their own, within limits."""
