"""The items of the papers, as the dashboard shows them."""
