"""The page itself: what runs in a browser."""
