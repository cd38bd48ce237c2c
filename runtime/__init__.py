"""What runs compiled kernels: one shim a vendor, imported only when used."""
