"""DuckDB for the benchmark: executes each line of standard input, a statement as
JSON text, and answers with a line of JSON: the rows, or the error as a text.

Usage: duckdb_server.py DATABASE
"""

import json
import sys

import duckdb

database = duckdb.connect(sys.argv[1])
database.execute("SET TimeZone = 'UTC'")
for line in sys.stdin:
    try:
        answer = database.execute(json.loads(line)).fetchall()
    except duckdb.Error as error:
        answer = str(error)
    print(json.dumps(answer, default=str), flush=True)
