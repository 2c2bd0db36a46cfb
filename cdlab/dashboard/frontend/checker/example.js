// Five rows, and a certificate of a point for them: hinge loss, l2 = 1/4, coefficients and multipliers in quarters.

export const DATA = "1 1:2 2:1\n1 1:1.5 2:-0.5\n-1 1:-1 2:0.5\n-1 1:0.5 2:-1\n1 1:-0.5 2:1\n"
export const CERTIFICATE =
  '{"file": "cdlab certificate", "version": 1, "problem": {"loss": {"name": "hinge"}, "l2": 0.25, "l1": 0.0, "intercept": null, "weights": null}, "data": {"examples": 5, "features": 2, "classes": null, "labels": null, "label_column": null, "rows": "all", "scale": null, "sha256": "d61b7a85eea20b0a0f2589db0d219609716545470afa8ea255506dfa04800062"}, "claim": {"gap": 0.0565625, "primal": 0.5703125, "dual": 0.5137499999999999}, "about": "an example of five rows", "w": "eJxjYACBD/ZgiuGFPQANtgJX", "alpha": "eJxjYEAGL+yh9H4I/QFG2wMATRQFrQ==", "seal": "76263205e170fdc6cf14d45340ff1098d4652386a2c278de9d70607da4232f52"}'
