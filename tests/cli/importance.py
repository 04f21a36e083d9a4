"""Compares `gtrain explain` of a linear model with a formula: importance.py JSON CSV WEIGHT COLUMN=WEIGHT…

If a column x of a model that is exactly linear in independent columns is shuffled, its error is w (x' - x) with x' drawn
from the same values, so the expected mean squared error is 2 w^2 var(x)."""
import json
import statistics
import sys

report, table, *weights = sys.argv[1:]
with open(report) as file:
    result = json.load(file)
with open(table) as file:
    names = file.readline().strip().split(",")
    rows = [[float(cell) for cell in line.split(",")] for line in file]
# By column: how much the metrics rise if it is shuffled.
rise = {row["column"]: row for row in result["importance"]}
assert result["samples"] == len(rows) and result["split"] == "test" and result["repeats"] == 5, result
assert sorted(rise) == sorted(names[:-1]), rise
changes = [row["loss_change"] for row in result["importance"]]
assert changes == sorted(changes, reverse=True), changes
for weight in weights:
    name, value = weight.split("=")
    values = [row[names.index(name)] for row in rows]
    expected = 2 * float(value) ** 2 * statistics.pvariance(values)
    # The deviation of one shuffle is about 2 w^2 var / sqrt(rows) for normal values; five are averaged. Up to five
    # deviations of this mean are accepted.
    error = 5 * expected / (len(rows) * 5) ** 0.5
    assert abs(rise[name]["loss_change"] - expected) <= error + 1e-9, (name, rise[name], expected, error)
    assert expected == 0 or 0 < rise[name]["loss_deviation"] < 5 * expected / len(rows) ** 0.5, (name, rise[name])
    difference = rise[name]["rmse"] - result["rmse"] - rise[name]["rmse_change"]
    assert abs(difference) < 1e-6, (name, difference)
