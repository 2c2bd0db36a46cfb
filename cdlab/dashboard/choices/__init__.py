"""What a person chooses: data, problem, methods and samplings, as plain values; what does not fit, and why."""
