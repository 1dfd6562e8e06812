"""Runs the statements of standard input with DuckDB and prints the rows of the
last question, and of each one before it, as a line of JSON."""

import json
import sys

import duckdb

database = duckdb.connect()
for statement in sys.stdin.read().split(";"):
    if statement.strip():
        result = database.execute(statement)
        if statement.strip().startswith("SELECT"):
            names = [column[0] for column in result.description]
            rows = [dict(zip(names, row)) for row in result.fetchall()]
            print(json.dumps(rows, default=int))
