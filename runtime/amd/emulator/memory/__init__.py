"""The memories, and the instructions that access them."""
