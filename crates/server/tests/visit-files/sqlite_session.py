"""Runs the statements of standard input with SQLite and prints the rows of each
question as a line of JSON. The table is as `.import --csv` makes it: of texts."""

import csv
import json
import sqlite3
import sys

database = sqlite3.connect(":memory:")
database.row_factory = sqlite3.Row
with open("visits.csv", newline="", encoding="utf-8") as file:
    rows = csv.reader(file)
    names = next(rows)
    columns = ", ".join(f'"{name}" TEXT' for name in names)
    database.execute(f"CREATE TABLE visits ({columns})")
    marks = ", ".join("?" for _ in names)
    database.executemany(f"INSERT INTO visits VALUES ({marks})", rows)
for statement in sys.stdin.read().split(";"):
    if statement.strip():
        found = [dict(row) for row in database.execute(statement)]
        print(json.dumps(found))
