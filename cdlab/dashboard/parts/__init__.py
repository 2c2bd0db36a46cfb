"""Panel components that the page is made of."""
