#!/usr/bin/env python3
"""Runs the scripts of this folder through Spark 3.5 with elasticsearch-hadoop, and prints what came of them.

spark.py CONNECTOR.jar http://HOST:PORT > spark.golden.jsonl      (pip install pyspark==3.5.6, Java 17)

A statement ends with ';' at the end of a line. '-- setup METHOD PATH BODY' before it is sent to the cluster first. ${p} is the
prefix of the indices, ${host} and ${port} the cluster. Each line of output is a statement with columns and rows, or an error; the
last of a script holds the documents of its indices. Session: time zone UTC, ANSI mode off.
"""
import datetime, decimal, glob, json, os, re, sys, time, urllib.error, urllib.request

PREFIX = 'parity-s-'

def call(url, method, path, body=None):
    req = urllib.request.Request(url + path, method=method, data=body.encode() if body else None, headers={'Content-Type': 'application/json'})
    try:
        with urllib.request.urlopen(req) as r:
            return json.loads(r.read() or b'{}')
    except urllib.error.HTTPError as e:
        sys.exit(f'{method} {path} {body}: {e.read().decode()}')

def indices(url):
    return sorted(i for i in call(url, 'GET', '/' + PREFIX + '*/_settings') if i.startswith(PREFIX))

def clear(url):
    for index in indices(url):
        call(url, 'DELETE', '/' + index)

def cell(v):
    if v is None or isinstance(v, (bool, str, int)):
        return v
    if isinstance(v, float):
        return v if v == v and abs(v) != float('inf') else str(v)
    if isinstance(v, decimal.Decimal):
        return format(v, 'f')
    if isinstance(v, datetime.datetime):
        return v.strftime('%Y-%m-%dT%H:%M:%S.%f').rstrip('0').rstrip('.') + 'Z'
    if isinstance(v, datetime.date):
        return v.isoformat()
    if isinstance(v, (bytes, bytearray)):
        return bytes(v).hex()
    if hasattr(v, 'asDict'):
        return {k: cell(x) for k, x in v.asDict().items()}
    if isinstance(v, dict):
        return {str(k): cell(x) for k, x in sorted(v.items())}
    if isinstance(v, (list, tuple)):
        return [cell(x) for x in v]
    return str(v)

def reason(e):
    text = str(e)
    m = re.search(r'\[([A-Z_.]+)\]', text)
    causes = re.findall(r'(?:Caused by: )?([\w.]*(?:Exception|Error)): ([^\n]*)', text)
    return (m.group(1) + ': ' if m else '') + (causes[-1][1] if causes else text.split('\n')[0])[:300]

def documents(url):
    call(url, 'POST', '/_refresh')
    found = {}
    for index in indices(url):
        hits = call(url, 'POST', '/' + index + '/_search', json.dumps({'size': 1000, 'sort': ['_doc']}))['hits']['hits']
        found[index[len(PREFIX):]] = {h['_id']: dict(h['_source'], **({'_routing': h['_routing']} if '_routing' in h else {})) for h in hits}
    return found

def main():
    jar, url = sys.argv[1:3]
    os.environ['TZ'] = 'UTC'
    time.tzset()
    from pyspark.sql import SparkSession
    host, port = url.split('//')[1].split(':')
    s = (SparkSession.builder.master('local[1]').config('spark.jars', jar).config('spark.ui.enabled', 'false').config('spark.sql.session.timeZone', 'UTC')
         .config('spark.sql.shuffle.partitions', '1').config('spark.sql.warehouse.dir', '/tmp/parity-warehouse').config('spark.driver.memory', '1g').getOrCreate())
    s.sparkContext.setLogLevel('OFF')
    for path in sorted(glob.glob(os.path.join(os.path.dirname(os.path.abspath(__file__)), '*.sql'))):
        name = os.path.basename(path)[:-4]
        clear(url)
        text = open(path).read().replace('${host}', host).replace('${port}', port)
        fill = lambda t: t.replace('${p}', PREFIX)
        for m in re.finditer(r'^-- setup (\S+) (\S+) ?(.*)$', text, re.M):
            call(url, m.group(1), fill(m.group(2)), fill(m.group(3)))
        call(url, 'POST', '/_refresh')
        body = '\n'.join(l for l in text.split('\n') if not l.startswith('--'))
        for n, sql in enumerate([x for x in re.split(r';\s*$', body, flags=re.M) if x.strip()], 1):
            out = {'script': name, 'n': n}
            try:
                df = s.sql(fill(sql.strip()))
                if df.columns:
                    out['columns'] = [[f.name, f.dataType.simpleString()] for f in df.schema]
                    out['rows'] = [[cell(v) for v in r] for r in df.collect()]
            except Exception as e:
                out['error'] = reason(e).replace(PREFIX, '${p}')
                out.pop('columns', None)
            print(json.dumps(out, ensure_ascii=False), flush=True)
        print(json.dumps({'script': name, 'documents': documents(url)}, ensure_ascii=False), flush=True)
        for t in s.catalog.listTables():
            s.sql('DROP ' + ('VIEW' if t.isTemporary else 'TABLE') + ' IF EXISTS `' + t.name + '`')
    clear(url)

main()
