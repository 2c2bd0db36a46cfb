"""How single papers get from one step, or one stage, to the rate that their theorem states."""
