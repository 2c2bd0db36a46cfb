"""What is drawn in the browser: the data of its regions, made here, and the ES modules that draw them.

Data are plain values (`contract`); the modules, from ``stage.js`` on, know neither Panel nor optimisation, so that a
static page can import them as they are.
"""
