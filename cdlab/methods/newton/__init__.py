"""What newton_cd's outer loop stands on: the ways to find its step, and which is cheapest where."""
