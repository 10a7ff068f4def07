"""Running on shards: the steps of workers, and the driver that adds them up."""
