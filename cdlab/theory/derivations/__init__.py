"""Derivations of the papers: from one step, or one stage, to the rate that a theorem states."""
