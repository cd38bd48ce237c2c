"""AMD's GPUs."""
