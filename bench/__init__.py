"""Side by side with the peers: `python -m bench --device cpu` or `--device cuda`."""
