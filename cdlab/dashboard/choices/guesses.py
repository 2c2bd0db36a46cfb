"""What can be guessed of a race before it is run."""

GUESSES = ("primal", "tie", "dual")
