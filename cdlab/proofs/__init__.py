"""Proofs: certificate files of a point, which `cdlab.checker` checks by itself, from an exactly feasible dual point."""

from .writing import DataDescription, Verdict, describe, write_certificate

__all__ = ["DataDescription", "Verdict", "describe", "write_certificate"]
