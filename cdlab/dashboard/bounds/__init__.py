"""What theory promises for the chosen methods: their theorems, moved and compared, in words."""
