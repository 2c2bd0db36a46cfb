"""What measures cdlab: scripts that write pages of numbers, and `peers`, the comparison with other packages."""
