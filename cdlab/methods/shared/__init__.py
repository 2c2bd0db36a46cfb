"""What several methods have in common: outer loops, batches, tables, averages, checks of parameters."""
