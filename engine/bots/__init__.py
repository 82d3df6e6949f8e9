"""Players made of code: each sees its own seat's view and nothing else."""
