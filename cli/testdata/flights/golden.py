#!/usr/bin/env python3
"""Writes what real Spark answers to questions about flights, one JSON object a line as ../spark/golden.py does:

    golden.py DATA_FOLDER TABLES.sql QUERIES.sql > QUERIES.golden.jsonl

Spark has no provider "es" here: a table of that provider becomes a view of what is inserted into it.
"""
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'spark'))
import golden


def define(spark, statement):
    """Runs one statement of TABLES.sql as far as Spark can."""
    if re.match(r'CREATE TABLE .*\) USING es\b', statement, re.DOTALL):
        return
    insert = re.match(r'INSERT OVERWRITE (\w+) (SELECT .*)', statement, re.DOTALL)
    if insert:
        spark.sql('CREATE TEMPORARY VIEW %s AS %s' % insert.groups())
        spark.sql('CACHE TABLE ' + insert[1])
        return
    spark.sql(re.sub(r'^CREATE TABLE', 'CREATE TEMPORARY VIEW', statement))


def main():
    data, tables, queries = sys.argv[1:]
    spark = golden.session()
    for statement in golden.statements(tables):
        define(spark, statement.replace('${data}', os.path.abspath(data)))
    for statement in golden.statements(queries):
        print(json.dumps(golden.ask(spark, statement), ensure_ascii=False), flush=True)


if __name__ == '__main__':
    main()
