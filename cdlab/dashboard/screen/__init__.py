"""What keeps the screen in step with choices and races: prediction, replay, outcome, stories, and the drawers below."""
