"""Coefficients of sand from measured trajectories. The measurements are made here, with 0.1 mm of noise, so that the truth
is known: eta_d = 6.5, eta_h = 8, eta_v = 22, lambda = 1.1.

Prints what 06_fit.cpp prints; the sample is there.
"""

import tempfile

import thud

with tempfile.TemporaryDirectory() as folder:
    files = thud.synth("fit_free_link", folder)
    fit = thud.fit("fit_free_link", files)

message = "all knobs determined" if fit.data["sound"] else fit.data["message"]
print(f"{len(files)} files, {fit.data['values']} values, {message}")
for estimate in fit.estimates:
    if not estimate["file"]:
        print(f"{estimate['knob']:<6} {estimate['value']:8.3f} ± {estimate['standard_error'] or 0:.3f}")
