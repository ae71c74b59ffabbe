#!/usr/bin/env python3
"""Writes what real Spark answers to the queries of a file.

    golden.py QUERIES.sql [DATA_FOLDER] > QUERIES.golden.jsonl
    golden.py --answered QUERIES.sql [DATA_FOLDER] > QUERIES.golden.jsonl
    golden.py --ansi QUERIES.sql [DATA_FOLDER] > QUERIES.golden.jsonl
    golden.py --zone Europe/Berlin QUERIES.sql [DATA_FOLDER] > QUERIES.berlin.golden.jsonl

It needs Java 17 and pyspark 3.5.6 from pip. A statement ends with ';' at the end of a line; a line that begins
with '--' is a comment. Each line of output is an object:

    sql      the statement
    columns  [[name, type], ...]
    rows     [[cell, ...], ...], see cell(); sorted as JSON text unless the statement orders them itself
    error    instead of columns and rows: the class of Spark's error, or its first line
    at       with error: line and column, where Spark tells them

With --answered, statements that are no queries, that Spark refuses, or whose answer changes from run to run are
left out. The session is Spark's default (ANSI mode off, but for --ansi) in UTC or the zone of --zone, on the tables of TABLES below.
"""
import argparse
import atexit
import datetime
import decimal
import json
import math
import os
import re
import shutil
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))

TABLES = {
    'people': '''id BIGINT, name STRING, age INT, city STRING, tags ARRAY<STRING>,
        address STRUCT<street: STRING, geo: STRUCT<lat: DOUBLE, lon: DOUBLE>>, joined TIMESTAMP, born DATE,
        balance DECIMAL(12,2), active BOOLEAN, props MAP<STRING, STRING>''',
    'orders': 'order_id BIGINT, person_id BIGINT, amount DOUBLE, status STRING, ts TIMESTAMP, day STRING',
    'cities': 'name STRING, country STRING, pop BIGINT',
    'people_fix': 'id BIGINT, name STRING, city STRING, gone BOOLEAN',
}


def session():
    """Returns a Spark session that answers alike everywhere."""
    os.environ['TZ'] = 'UTC'
    time.tzset()
    from pyspark.sql import SparkSession  # reads TZ when it is imported
    warehouse = tempfile.mkdtemp(prefix='spark-warehouse-')
    atexit.register(shutil.rmtree, warehouse, ignore_errors=True)
    spark = (
        SparkSession.builder.master('local[1]')
        .config('spark.ui.enabled', 'false')
        .config('spark.driver.memory', '1g')
        .config('spark.sql.session.timeZone', 'UTC')
        .config('spark.sql.shuffle.partitions', '1')
        .config('spark.sql.warehouse.dir', warehouse)
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel('OFF')
    return spark


def statements(path):
    """Yields the statements of a file, without comments and the ending ';'."""
    with open(path, encoding='utf-8') as f:
        text = ''.join(line for line in f if not line.startswith('--'))
    for statement in re.split(r';\s*(?:\n|\Z)', text):
        if statement.strip():
            yield statement.strip()


def cell(value, kind=None):
    """Returns a value of a type of Spark as JSON: decimals, dates and what JSON has no number for as text, structs and maps as objects."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, decimal.Decimal):
        return f'{value:.{kind.scale}f}'
    if isinstance(value, datetime.datetime):
        return value.strftime('%Y-%m-%dT%H:%M:%S.%f').rstrip('0').rstrip('.') + 'Z'
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).hex()
    if hasattr(value, 'asDict'):
        return {f.name: cell(v, f.dataType) for f, v in zip(kind.fields, value)}
    if isinstance(value, dict):
        return {str(k): cell(value[k], kind.valueType) for k in sorted(value, key=str)}
    if isinstance(value, (list, tuple)):
        return [cell(v, kind.elementType) for v in value]
    return str(value)


def ordered(statement):
    """Tells whether a statement has ORDER BY outside of all parentheses."""
    before = None
    while statement != before:
        before, statement = statement, re.sub(r'\([^()]*\)', '', statement)
    return re.search(r'\border\s+by\b', statement, re.IGNORECASE) is not None


def readable(frame):
    """Returns a frame whose intervals are text, since Python has no type for months."""
    types = [field.dataType.simpleString() for field in frame.schema.fields]
    if not any(t.startswith('interval') for t in types):
        return frame
    names = [f'c{i}' for i in range(len(types))]
    return frame.toDF(*names).selectExpr(*[f'CAST({n} AS STRING)' if t.startswith('interval') else n for n, t in zip(names, types)])


def ask(spark, statement):
    """Returns Spark's answer to a statement as one object of the output."""
    try:
        frame = spark.sql(statement)
        shown = readable(frame)
        rows = [[cell(v, f.dataType) for f, v in zip(shown.schema.fields, row)] for row in shown.collect()]
    except Exception as err:  # of many kinds, some of them Java's
        name = re.search(r'\[([A-Z_.0-9]+)\]', str(err))
        answer = {'sql': statement, 'error': name[1] if name else str(err).split('\n')[0][:200] or type(err).__name__}
        place = re.search(r'== SQL ?\(line (\d+), position (\d+)\)', str(err))
        if place:
            answer['at'] = [int(place[1]), int(place[2])]
        return answer
    if not ordered(statement):
        rows.sort(key=lambda row: json.dumps(row, ensure_ascii=False, sort_keys=True))
    columns = [[field.name, field.dataType.simpleString()] for field in frame.schema.fields]
    return {'sql': statement, 'columns': columns, 'rows': rows}


def lasting(statement):
    """Tells whether a statement is a query whose answer is the same in every run and every folder."""
    query = re.match(r'\(*\s*(select|with|values|from|table)\b', statement, re.IGNORECASE)
    writes = re.match(r'with\b.*\binsert\b', statement, re.IGNORECASE | re.DOTALL)
    changes = re.search(r'\b(current_timestamp|current_date|now|rand|uuid|percent\)|json\.`)', statement, re.IGNORECASE)
    return query and not writes and not changes


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--answered', action='store_true')
    parser.add_argument('--ansi', action='store_true')
    parser.add_argument('--zone', default='UTC')
    parser.add_argument('queries')
    parser.add_argument('data', nargs='?', default=os.path.join(HERE, 'data'))
    args = parser.parse_args()
    spark = session()
    for table, schema in TABLES.items():
        read = spark.read.schema(schema).json(os.path.join(args.data, table + '.ndjson'))
        spark.createDataFrame(read.collect(), read.schema).coalesce(1).createOrReplaceTempView(table)
    spark.conf.set('spark.sql.ansi.enabled', str(args.ansi).lower())
    spark.conf.set('spark.sql.session.timeZone', args.zone)
    for statement in statements(args.queries):
        if args.answered and not lasting(statement):
            continue
        answer = ask(spark, statement)
        if not (args.answered and 'error' in answer):
            print(json.dumps(answer, ensure_ascii=False))


if __name__ == '__main__':
    main()
