// The theme's toggle of the pages below has no name for screen readers.
for (const summary of document.querySelectorAll("summary:has(.toctree-toggle)")) {
  summary.setAttribute("aria-label", "Pages below");
}
