"""From code to instructions, and from operands to registers."""
