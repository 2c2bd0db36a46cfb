"""The tabs of the page, each with the words that it shows."""
