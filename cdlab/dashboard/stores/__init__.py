"""Stores of sweeps, read for visitors and told in words and numbers."""
