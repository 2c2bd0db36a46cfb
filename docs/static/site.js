// The theme's toggle of the pages below has no name for screen readers.
for (const summary of document.querySelectorAll("summary:has(.toctree-toggle)")) {
  summary.setAttribute("aria-label", "Pages below");
}
// From a disk a browser loads no modules: there the lab is the page that is one file.
if (location.protocol === "file:") {
  for (const frame of document.querySelectorAll("iframe.lab")) frame.src = frame.src.replace("index.html", "cdlab.html");
  for (const link of document.querySelectorAll('a[href*="lab/index.html"]')) link.href = link.href.replace("index.html", "cdlab.html");
}
