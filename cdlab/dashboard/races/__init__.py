"""Races and what a page knows of them: running them piece by piece, keeping, comparing, storing. No Panel."""
