"""Runs the statements of standard input with ClickHouse and prints the rows of
each question as a line of JSON."""

import json
import sys

from chdb.session import Session

session = Session()
session.query("CREATE DATABASE s")
session.query("USE s")
for statement in sys.stdin.read().split(";"):
    if statement.strip():
        text = str(session.query(statement, "JSON"))
        if statement.strip().startswith("SELECT"):
            print(json.dumps(json.loads(text)["data"]))
