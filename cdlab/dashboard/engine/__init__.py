"""The six questions that the page asks, and their answers as plain values (`schema`): no browser, no Panel here."""
