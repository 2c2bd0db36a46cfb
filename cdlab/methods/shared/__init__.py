"""Parts of several methods: outer loops, batches, tables, averages, checks of parameters."""
