#!/usr/bin/env python3
"""Makes the sample in data/ out of the whole set of flights: sample.py WHOLE_DATA_FOLDER

It keeps two days of every month, of flights and of weather, and the other tables whole.
"""
import csv
import gzip
import io
import os
import shutil
import sys

DAYS = {'4', '15'}
HERE = os.path.dirname(os.path.abspath(__file__))


def write(name, rows):
    """Writes compressed CSV whose bytes depend on the rows only."""
    text = io.StringIO()
    csv.writer(text, lineterminator='\n').writerows(rows)
    with open(os.path.join(HERE, 'data', name), 'wb') as f:
        f.write(gzip.compress(text.getvalue().encode(), 9, mtime=0))


def main():
    whole = sys.argv[1]
    os.makedirs(os.path.join(HERE, 'data'), exist_ok=True)
    for name in ('flights.csv.gz', 'weather.csv.gz'):
        with gzip.open(os.path.join(whole, name), 'rt', encoding='utf-8', newline='') as f:
            rows = csv.reader(f)
            head = next(rows)
            day = head.index('day')
            write(name, [head] + [r for r in rows if r[day] in DAYS])
    for name in ('airlines.csv', 'airports.csv', 'planes.csv'):
        shutil.copyfile(os.path.join(whole, name), os.path.join(HERE, 'data', name))


if __name__ == '__main__':
    main()
