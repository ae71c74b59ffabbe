#!/usr/bin/env python3
"""Writes random queries over the tables of data/, to be put to Spark and to eslake.

    random_queries.py SEED COUNT [nested|decimal|time] > random.sql
    golden.py random.sql > random.golden.jsonl
    ESLAKE_TEST_SPARK_ANSWERS=$PWD/random.golden.jsonl go test -count=1 -run 'TestSparkRandom$' ../../session

With a mode the queries ask a table of random_tables.py. For time, give golden.py a --zone, and the test the same zone as
ESLAKE_TEST_SPARK_ZONE. The same seed gives the same queries. What they ask is often silly, and some of it Spark refuses. The
last command tells of each query that eslake answers otherwise. These are no faults: whole numbers that overflow are an error
here; zeros and very small numbers that Python prints with an exponent; dates that Python has not; a window of equal rows.
"""
import random
import re
import sys

from random_tables import MODES

# What people has of each kind of value; a text for each kind, of expressions between semicolons.
COLUMNS = {
    'int': r'''
        age; cast(id AS INT); length(name); month(born)
    ''',
    'big': r'''
        id; cast(age AS BIGINT)
    ''',
    'double': r'''
        address.geo.lat; address.geo.lon; cast(balance AS DOUBLE)
    ''',
    'decimal': r'''
        balance
    ''',
    'text': r'''
        name; city; address.street; props['k']; cast(id AS STRING); tags[0]
    ''',
    'date': r'''
        born; cast(joined AS DATE)
    ''',
    'time': r'''
        joined
    ''',
    'truth': r'''
        active; age > 30; name IS NULL
    ''',
    'texts': r'''
        tags; split(name, 'a'); array(city, name)
    ''',
    'numbers': r'''
        array(age, 1, NULL, 3); sequence(1, 5); array(cast(id AS INT), 7)
    ''',
    'map': r'''
        props; map('a', city)
    ''',
}

# Constants that are at the edge of something.
CONSTANTS = {
    'int': r'''
        0; 1; -1; 7; 100; 2147483647; -2147483648; NULL; cast(3 AS TINYINT); cast(300 AS SMALLINT)
    ''',
    'big': r'''
        0L; 9223372036854775807L; -9223372036854775807L; 12345678901L; NULL
    ''',
    'double': r'''
        0.0D; -0.0D; 1.5D; -2.5D; 1e10; 1e-5; cast('NaN' AS DOUBLE); cast('Infinity' AS DOUBLE); NULL; 3.7D; 1e300
    ''',
    'decimal': r'''
        0.00; 1.10; -1.005; 12345.67; 0.5; 99999999999.99; NULL; 2.5; 10BD
    ''',
    'text': r'''
        ''; 'a'; 'abc'; '  x '; 'Zürich'; '日本'; '12'; '-3.5'; '2020-02-29'; 'true'; 'a,b,,c'; '%_'; 'x\\.y'; NULL; '1e3'; 'A1b2';
        '2021-12-31 23:59:59.999'
    ''',
    'date': r'''
        DATE'2020-02-29'; DATE'1969-12-31'; DATE'1582-10-04'; DATE'9999-12-31'; DATE'2021-01-03'; NULL
    ''',
    'time': r'''
        TIMESTAMP'2020-02-29 12:34:56.789'; TIMESTAMP'1969-12-31 23:59:59.999999'; TIMESTAMP'2000-01-01 00:00:00'; NULL
    ''',
    'truth': r'''
        true; false; NULL
    ''',
    'texts': r'''
        array('a','b',NULL); array(); array('b','a','a'); cast(NULL AS ARRAY<STRING>)
    ''',
    'numbers': r'''
        array(3,1,2); array(1,NULL); cast(array() AS ARRAY<INT>); array(0,-1,5)
    ''',
    'map': r'''
        map('k','v','z',NULL); cast(NULL AS MAP<STRING,STRING>)
    ''',
}

# What makes a value of a kind of others.
FUNCTIONS = {
    'int': r'''
        {int} + {int}; {int} - {int}; {int} * {int}; {int} % {int}; pmod({int}, {int}); abs({int}); -{int}; sign({int}); length({text});
        instr({text}, {text}); locate({text}, {text}, {int}); year({date}); month({date}); day({date}); dayofweek({date}); weekday({date});
        dayofyear({date}); weekofyear({date}); quarter({date}); hour({time}); minute({time}); second({time}); datediff({date}, {date});
        size({texts}); size({map}); cardinality({numbers}); ascii({text}); bit_length({text}); octet_length({text}); levenshtein({text}, {text});
        array_position({texts}, {text}); find_in_set({text}, {text}); cast({text} AS INT); cast({double} AS INT); cast({decimal} AS INT);
        cast({truth} AS INT); cast({big} AS INT); {int} & {int}; {int} | {int}; {int} ^ {int}; ~{int}; shiftleft({int}, 2); shiftright({int}, 3);
        shiftrightunsigned({int}, 1); bit_count({int}); coalesce({int}, {int}); nullif({int}, {int}); if({truth}, {int}, {int});
        greatest({int}, {int}, {int}); least({int}, {int}); element_at({numbers}, 1); {numbers}[1]; array_max({numbers}); array_min({numbers});
        aggregate({numbers}, 0, (s, x) -> s + coalesce(x, 1)); regexp_count({text}, "[a-z]"); regexp_instr({text}, "[0-9]");
        extract(WEEK FROM {date}); extract(YEAROFWEEK FROM {date}); date_part("doy", {date}); crc32({text}); hash({text}, {int});
        nvl2({text}, {int}, {int}); int({double}); tinyint({int}); smallint({big}); {int} div {int}; width_bucket({double}, 0, 10, 5);
        try_add({int}, {int}); try_subtract({int},{int}); try_multiply({int},{int}); getbit({int}, 0); months_between({date},{date});
        unix_date({date}); char_length({text}); position({text} IN {text}); json_array_length({text});
        case {int} when 1 then 2 when {int} then 3 else {int} end; mod({int},{int})
    ''',
    'big': r'''
        {big} + {int}; {big} - {big}; {big} * 2; {big} % {int}; {big} div {int}; cast({text} AS BIGINT); cast({double} AS BIGINT);
        cast({time} AS BIGINT); unix_timestamp({time}); unix_micros({time}); unix_millis({time}); floor({double}); ceil({double}); round({big}, -1);
        xxhash64({text}); factorial({int}); coalesce({big},{int}); abs({big}); bround({int}, -1); positive({big}); shiftleft({big}, {int});
        unix_timestamp({text}, "yyyy-MM-dd"); unix_seconds({time}); bigint({decimal}); to_unix_timestamp({text}, "yyyy-MM-dd HH:mm:ss");
        floor({decimal}); ceil({decimal}); nanvl({double}, 1); try_divide({int},{int})
    ''',
    'double': r'''
        {double} + {double}; {double} - {int}; {double} * {double}; {double} / {double}; {int} / {int}; {double} % {double}; sqrt({double});
        exp({int}); ln({double}); log(2, {double}); log10({int}); log2({double}); log1p({double}); expm1({double}); power({double}, 2);
        cbrt({double}); round({double}, 1); bround({double}, 0); rint({double}); sin({double}); cos({int}); atan2({double},{double});
        degrees({double}); radians({double}); hypot({double},{double}); cast({text} AS DOUBLE); cast({decimal} AS DOUBLE); double({truth});
        abs({double}); -{double}; nanvl({double},{double}); signum({double}); greatest({double},{int}); least({double},{decimal},{int});
        coalesce({double},{int}); months_between({time},{time}); pmod({double},{double}); cast({time} AS DOUBLE); cot({double}); tanh({double});
        if({truth},{double},{int}); float({double}); cast({text} AS FLOAT); e() * {double}; try_divide({double},{double})
    ''',
    'decimal': r'''
        {decimal} + {decimal}; {decimal} - {int}; {decimal} * {decimal}; {decimal} / {decimal}; {decimal} % {decimal}; round({decimal}, 1);
        round({decimal}); bround({decimal}, 1); cast({text} AS DECIMAL(10,2)); cast({double} AS DECIMAL(20,5)); cast({int} AS DECIMAL(5,1));
        abs({decimal}); -{decimal}; ceil({decimal}, 1); floor({decimal}, 1); coalesce({decimal},{int}); greatest({decimal},{int});
        if({truth},{decimal},{int}); {big} + {decimal}; pmod({decimal},{decimal}); sign({decimal}); nullif({decimal},{int}); decimal({text})
    ''',
    'text': r'''
        upper({text}); lower({text}); initcap({text}); trim({text}); ltrim({text}); rtrim({text}); trim(BOTH 'a' FROM {text});
        trim(LEADING 'x ' FROM {text}); reverse({text}); concat({text},{text}); {text} || {int}; concat_ws("-",{text},{text});
        concat_ws(",",{texts}); substring({text},{int},{int}); substr({text},{int}); left({text},{int}); right({text},3); lpad({text},5,"*");
        rpad({text},{int} % 10,"ab"); repeat({text},2); replace({text},{text},{text}); translate({text},"abc","xy");
        regexp_replace({text},"[aeiou]+","<$0>"); regexp_extract({text},"([a-z]+)([0-9]*)",2); regexp_substr({text},"[0-9]+");
        split_part({text},",",2); substring_index({text},"a",{int} % 3); md5({text}); sha2({text},256); sha1({text}); hex({int}); hex({text});
        bin({big}); conv({text},16,10); base64(cast({text} AS BINARY)); soundex({text}); format_number({double},2); format_number({int},0);
        date_format({time},"yyyy-MM-dd HH:mm:ss.SSS"); date_format({date},"EEEE, d MMM yy"); date_format({time},"hh:mm a D"); cast({int} AS STRING);
        cast({double} AS STRING); cast({decimal} AS STRING); cast({date} AS STRING); cast({time} AS STRING); cast({truth} AS STRING);
        cast({texts} AS STRING); cast({numbers} AS STRING); cast({map} AS STRING); coalesce({text},{text}); nvl({text},"?");
        if({truth},{text},{text}); {texts}[{int}]; element_at({texts},-1); {map}["k"]; element_at({map},"z"); array_join({texts},"|");
        array_join({texts},"|","-"); to_json({texts}); to_json({map}); to_json(named_struct("a",{int},"b",{text})); get_json_object({text},"$.a");
        from_unixtime({int}); chr({int}); overlay({text} PLACING "_" FROM 2); elt(2,{text},{text});
        format_string("%5d|%s|%.2f",{int},{text},{double}); typeof({decimal}); greatest({text},{text}); url_encode({text}); array_max({texts});
        mask({text}); to_char({decimal},"999.99"); nullif({text},{text}); space({int} % 5); string({double}); btrim({text}); dayname({date});
        monthname({date}); case when {truth} then {text} when {truth} then {text} end; printf("%x",{int}); luhn_check({text});
        to_varchar({decimal},"000.0"); array_min({texts})
    ''',
    'date': r'''
        date_add({date},{int} % 1000); date_sub({date},7); add_months({date},{int} % 100); last_day({date}); next_day({date},"Mon");
        trunc({date},"MM"); trunc({date},"week"); trunc({date},"quarter"); to_date({text}); to_date({text},"yyyy-MM-dd"); cast({text} AS DATE);
        cast({time} AS DATE); coalesce({date},{date}); make_date({int},{int},{int}); make_date(2020,{int} % 13,15); {date} + interval 1 month;
        {date} - interval 10 days; greatest({date},{date}); date_from_unix_date({int} % 100000); if({truth},{date},{date}); {date} + 3; date({text});
        nullif({date},{date})
    ''',
    'time': r'''
        cast({text} AS TIMESTAMP); cast({date} AS TIMESTAMP); to_timestamp({text}); to_timestamp({text},"yyyy-MM-dd"); date_trunc("hour",{time});
        date_trunc("week",{time}); date_trunc("month",{date}); date_trunc("quarter",{time}); {time} + interval 1 day 2 hours;
        {time} - interval 3 months; timestamp_seconds({int}); timestamp_millis({big} % 100000000000); timestamp_micros({big} % 1000000000000000);
        cast({int} AS TIMESTAMP); coalesce({time},{time}); from_utc_timestamp({time},"Europe/Berlin"); to_utc_timestamp({time},"America/New_York");
        make_timestamp(2020,2,{int} % 31,1,2,3.5); greatest({time},{time}); timestampadd(DAY,{int} % 50,{time}); dateadd(MONTH,2,{time});
        timestamp({text}); if({truth},{time},{date})
    ''',
    'truth': r'''
        {int} = {int}; {int} < {big}; {double} >= {double}; {decimal} <> {double}; {text} = {text}; {text} < {text}; {text} = {int}; {int} <=> {int};
        {text} <=> {text}; {date} < {time}; {date} = {text}; {time} > {text}; {truth} AND {truth}; {truth} OR {truth}; NOT {truth};
        {text} LIKE "%a%"; {text} LIKE "_b%"; {text} ILIKE "A%"; {text} RLIKE "^[A-Z].*[a-z]$"; {text} IN ({text},{text});
        {int} IN ({int},{int},NULL); {int} NOT IN (1,2); {int} BETWEEN {int} AND {int}; {text} BETWEEN "a" AND "m"; {text} IS NOT NULL;
        {double} IS NULL; isnan({double}); isnull({text}); array_contains({texts},{text}); arrays_overlap({texts},{texts});
        exists({numbers}, x -> x > 2); forall({numbers}, x -> x > 0); startswith({text},{text}); endswith({text},"a"); contains({text},{text});
        cast({text} AS BOOLEAN); cast({int} AS BOOLEAN); coalesce({truth},{truth}); {truth} IS TRUE; {truth} IS NOT FALSE;
        {truth} IS DISTINCT FROM {truth}; map_contains_key({map},"k"); {truth} = {truth}; {decimal} = {int}; {text} LIKE ANY ("a%","%b");
        {truth} <> {truth}; {texts} = {texts}; {double} BETWEEN {int} AND {decimal}; regexp_like({text},"b+"); if({truth},{truth},{truth})
    ''',
    'texts': r'''
        array_sort({texts}); sort_array({texts}); sort_array({texts},false); array_distinct({texts}); array_union({texts},{texts});
        array_intersect({texts},{texts}); array_except({texts},{texts}); array_remove({texts},{text}); slice({texts},1,2); slice({texts},-2,2);
        reverse({texts}); concat({texts},{texts}); array_repeat({text},2); array_append({texts},{text}); array_prepend({texts},{text});
        array_compact({texts}); array_insert({texts},2,{text}); split({text},"[,a]"); split({text},",",2); map_keys({map}); map_values({map});
        filter({texts}, x -> x > "a"); transform({texts}, x -> upper(x)); transform({texts}, (x, i) -> concat(x, i)); coalesce({texts},{texts});
        regexp_extract_all({text},"([a-z])",1); flatten(array({texts},{texts})); array({text},{int}); zip_with({texts},{texts},(x,y) -> concat(x,y))
    ''',
    'numbers': r'''
        array_sort({numbers}); sort_array({numbers},false); array_distinct({numbers}); transform({numbers}, x -> x + 1);
        filter({numbers}, x -> x IS NOT NULL); sequence({int} % 5, {int} % 7); slice({numbers},2,{int} % 3 + 1); array_union({numbers},{numbers});
        array_except({numbers},{numbers}); array_remove({numbers},1); reverse({numbers}); concat({numbers},{numbers}); array_repeat({int},2);
        array({int},{int}); array_append({numbers},{int})
    ''',
    'map': r'''
        map({text},{text}); map_from_arrays(array("a","b"),array({text},{text})); str_to_map({text},",",":");
        map_filter({map}, (k,v) -> v IS NOT NULL); transform_values({map},(k,v) -> concat(k,v)); map_concat({map},map("q",{text}));
        transform_keys({map},(k,v) -> upper(k))
    ''',
}

# Aggregates by what they give.
AGGREGATES = {
    'int': r'''
        sum({int}); count({int}); count(DISTINCT {int}); max({int}); min({int}); bit_or({int}); count_if({truth}); sum(DISTINCT {int} % 10);
        count(*); bit_xor({int}); max_by({int}, id); min_by({int}, id)
    ''',
    'double': r'''
        avg({int}); avg({decimal}); max({double}); min({double}); round(stddev({int}),6); round(var_pop({int}),6); median({int});
        percentile({int},0.3); round(corr({int},{int}),6); round(skewness({int}),6)
    ''',
    'decimal': r'''
        sum({decimal}); max({decimal}); avg({decimal})
    ''',
    'text': r'''
        max({text}); min({text}); array_join(array_sort(collect_set({text})),","); max_by({text}, id);
        array_join(sort_array(collect_list({text})),",")
    ''',
    'truth': r'''
        bool_and({truth}); bool_or({truth}); every({truth})
    ''',
    'date': r'''
        max({date}); min({date})
    ''',
}

WINDOWS = r'''
        row_number() OVER w; rank() OVER w; dense_rank() OVER w; lag({int}) OVER w; lead({text},2) OVER w; sum({int}) OVER w; count({text}) OVER w;
        avg({int}) OVER w; max({decimal}) OVER w; ntile(3) OVER w; percent_rank() OVER w; cume_dist() OVER w; first_value({text}) OVER w;
        last_value({int}) OVER w; nth_value({text},2) OVER w
'''

FRAMES = ('', '', ' ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING', ' ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW')
ORDERS = ('id', 'age NULLS LAST, id', 'born DESC, id', 'city, id DESC')
JOINS = ('JOIN', 'LEFT JOIN', 'RIGHT JOIN', 'FULL JOIN', 'LEFT SEMI JOIN', 'LEFT ANTI JOIN')
CONDITIONS = (
    'people.id = o.person_id', 'people.id = o.person_id AND o.amount > 10', "people.id = o.person_id AND o.status = 'open'",
    'people.id = o.order_id', 'people.id <=> o.person_id', 'CAST(people.id AS STRING) = o.person_id',
)
OTHERS = (
    'o.amount', 'o.status', 'o.day', 'o.amount / people.age', 'concat(people.name, o.status)', 'to_date(o.day)', "date_format(o.ts, 'yyyyMMdd')",
)
SUBQUERIES = (
    'id IN (SELECT person_id FROM orders WHERE amount > 20)', 'id NOT IN (SELECT person_id FROM orders WHERE person_id IS NOT NULL)',
    'EXISTS (SELECT 1 FROM orders o WHERE o.person_id = people.id)',
    "NOT EXISTS (SELECT 1 FROM orders o WHERE o.person_id = people.id AND o.status = 'open')",
    'city IN (SELECT name FROM cities WHERE pop > 100000)', 'age > (SELECT avg(age) FROM people)', 'id = (SELECT max(person_id) FROM orders)',
)
HAVING = ('count(*) > 1', 'max(age) IS NOT NULL', "min(name) > 'a'")


PEOPLE = {
    'from': 'people', 'columns': COLUMNS, 'constants': CONSTANTS, 'functions': FUNCTIONS, 'aggregates': AGGREGATES,
    'keys': ('int', 'text', 'truth', 'date', 'decimal'), 'windows': WINDOWS, 'orders': ORDERS, 'having': HAVING,
}


class Generator:
    """Makes queries over a table, from a source of random numbers."""

    def __init__(self, seed, table):
        self.random = random.Random(seed)
        self.table = table
        self.source = re.sub(r'\s*\n\s*', ' ', table['from']).strip()

    def one(self, texts):
        """Returns one of the expressions of a text."""
        return self.random.choice([x.strip() for x in re.split(r';(?=\s|$)', texts) if x.strip()])

    def expression(self, kind, depth):
        """Returns an expression of a kind, with so many levels of functions at most."""
        if depth <= 0 or self.random.random() < 0.12:
            return self.one(self.table['columns' if self.random.random() < 0.72 else 'constants'][kind])
        return self.filled(self.one(self.table['functions'][kind]), depth - 1)

    def filled(self, template, depth):
        """Returns a template with expressions in its places."""

        def part(match):
            text = self.expression(match[1], depth)
            return f'({text})' if re.search(r'[ -]', text) else text

        return re.sub(r'\{(\w+)\}', part, template)

    def any(self, depth):
        """Returns an expression of any kind."""
        return self.expression(self.random.choice(list(self.table['functions'])), depth)

    def where(self, chance):
        """Returns a WHERE clause, or nothing."""
        return ' WHERE ' + self.expression('truth', 2) if self.random.random() < chance else ''

    def scalars(self):
        """Returns a query of expressions."""
        depth = self.random.choice((1, 1, 2, 2, 3))
        columns = ', '.join(f'{self.any(depth)} AS c{i}' for i in range(self.random.randint(1, 2)))
        return f'SELECT id, {columns} FROM {self.source}{self.where(0.3)} ORDER BY id'

    def groups(self):
        """Returns a query with GROUP BY."""
        key = self.expression(self.random.choice(self.table['keys']), self.random.randint(0, 1))
        if 'group_keys' in self.table and self.random.random() < 0.6:
            key = self.filled(self.one(self.table['group_keys']), 1)
        columns = ''
        for i in range(2):
            columns += f", {self.filled(self.one(self.random.choice(list(self.table['aggregates'].values()))), self.random.randint(0, 1))} AS c{i}"
        having = f" HAVING {self.random.choice(self.table['having'])}" if 'having' in self.table and self.random.random() < 0.3 else ''
        return f'SELECT {key} AS g{columns} FROM {self.source}{self.where(0.3)} GROUP BY {key}{having}'

    def windows(self):
        """Returns a query with a window."""
        call = self.filled(self.one(self.table['windows']), 1)
        key = self.expression(self.random.choice(('text', 'truth', 'int')), 0)
        window = f"PARTITION BY {key} ORDER BY {self.random.choice(self.table['orders'])}{self.random.choice(FRAMES)}"
        return f'SELECT id, {call} AS c0 FROM {self.source} WINDOW w AS ({window}) ORDER BY id'

    def laterals(self):
        """Returns a query with LATERAL VIEW."""
        view = self.filled(self.one(self.table['laterals']), self.random.randint(0, 2))
        outer = self.random.choice((' OUTER', ''))
        return f'SELECT id, e.* FROM {self.source} LATERAL VIEW{outer} {view}{self.where(0.3)}'

    def joins(self):
        """Returns a join."""
        join = self.random.choice(JOINS)
        columns = f"people.id, {self.expression(self.random.choice(('int', 'text', 'truth', 'date')), 1)}"
        if 'SEMI' not in join and 'ANTI' not in join:
            columns += f', o.order_id, {self.random.choice(OTHERS)}'
        return f'SELECT {columns} AS c FROM people {join} orders o ON {self.random.choice(CONDITIONS)}{self.where(0.4)}'

    def subqueries(self):
        """Returns a query whose condition has another query."""
        more = self.random.choice(('', 'AND', 'OR'))
        condition = self.random.choice(SUBQUERIES) + (f' {more} ({self.expression("truth", 1)})' if more else '')
        return f'SELECT id, {self.any(1)} AS c FROM people WHERE {condition} ORDER BY id'

    def query(self):
        """Returns a query."""
        if 'laterals' in self.table:
            return self.random.choices((self.scalars, self.groups, self.windows, self.laterals), (65, 15, 8, 12))[0]()
        kinds = (self.scalars, self.groups, self.windows, self.joins, self.subqueries)
        return self.random.choices(kinds, (60, 15, 8, 12, 5))[0]()


def main():
    """Prints as many different queries as the command line asks for."""
    table = MODES[sys.argv[3]] if len(sys.argv) > 3 else PEOPLE
    generator, seen, count = Generator(int(sys.argv[1]), table), set(), int(sys.argv[2])
    while len(seen) < count:
        query = generator.query()
        if query not in seen:
            seen.add(query)
            print(query + ';')


if __name__ == '__main__':
    main()
