"""What newton_cd's outer loop stands on: four ways to minimise its quadratic model, and which is cheapest where."""
