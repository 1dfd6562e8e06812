"""DuckDB for the benchmark: executes each line of standard input, a statement as
JSON text, and answers with a line of JSON: the rows.

Usage: duckdb_server.py DATABASE
"""

import json
import sys

import duckdb

database = duckdb.connect(sys.argv[1])
database.execute("SET TimeZone = 'UTC'")
for line in sys.stdin:
    rows = database.execute(json.loads(line)).fetchall()
    print(json.dumps(rows, default=str), flush=True)
