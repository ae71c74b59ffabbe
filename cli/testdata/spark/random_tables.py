"""The tables that random_queries.py asks besides people, in the modes nested, decimal and time.

Each is written within its queries, so that nobody has to load it. A table of expressions has a text for each kind of value,
of expressions between semicolons.
"""

NESTED = {
    'from': r'''
        (SELECT id, d.* FROM (SELECT id, from_json(j, 'n INT, s STRING, ns ARRAY<INT>, ts ARRAY<STRING>, one STRUCT<k: STRING, n: INT, deep: STRUCT<a: INT, b: ARRAY<INT>>>,
        many ARRAY<STRUCT<k: STRING, n: INT>>, m MAP<STRING, INT>, ms MAP<STRING, STRUCT<k: STRING, n: INT>>, nss ARRAY<ARRAY<INT>>') AS d FROM VALUES
        (1, '{"n":1,"s":"a","ns":[3,1,2],"ts":["b","a"],"one":{"k":"x","n":5,"deep":{"a":1,"b":[1,2]}},"many":[{"k":"x","n":1},{"k":"y","n":2}],"m":{"a":1,"b":null},"ms":{"p":{"k":"q","n":7}},"nss":[[1,2],[],[3]]}'),
        (2, '{"n":-2,"s":"","ns":[],"ts":[],"one":{"k":null,"n":null,"deep":null},"many":[],"m":{},"ms":{},"nss":[]}'),
        (3, '{"n":null,"s":null}'),
        (4, '{"n":7,"s":"b,c","ns":[1,null,1,-5],"ts":["a",null,"","a"],"one":{"k":"z","n":-1,"deep":{"a":null,"b":[null]}},"many":[{"k":null,"n":3},null,{"k":"x","n":null}],"m":{"a":3,"z":-1,"":0},"ms":{"p":null,"r":{"k":"q","n":null}},"nss":[[1],null,[null,2]]}'),
        (5, '{"n":2,"s":"x","ns":[2147483647,0],"ts":["x y","Z"],"one":{"k":"x","n":5,"deep":{"a":1,"b":[]}},"many":[{"k":"x","n":1}],"m":{"b":2},"ms":{"p":{"k":"q","n":7}},"nss":[[3,1,2]]}') AS v(id, j)) AS u) AS t
    ''',
    'columns': {
        'int': 'n; one.n; one.deep.a; m["a"]; many[0].n; ns[1]; element_at(many, -1).n; ms["p"].n; cast(id AS INT)',
        'text': 's; one.k; many[0].k; ts[0]; element_at(ms, "p").k; many.k[1]',
        'truth': 'n > 1; one IS NULL; many[0].k = "x"; isnotnull(ns)',
        'ints': 'ns; one.deep.b; many.n; nss[0]; map_values(m)',
        'texts': 'ts; many.k; map_keys(m); split(s, ",")',
        'one': 'many[0]; element_at(many, -1); ms["p"]; named_struct("k", s, "n", n)',
        'many': 'many; array(ms["p"], many[1]); map_values(ms)',
        'map': 'm; map("q", n); map_from_arrays(array("a", "c"), array(n, id))',
        'ms': 'ms; map("w", many[0])',
        'nss': 'nss; array(ns, one.deep.b)',
    },
    'constants': {
        'int': '0; 1; -1; 3; NULL', 'text': '"a"; "x"; ""; NULL; "a,b"', 'truth': 'true; false; NULL',
        'ints': 'array(2, NULL, 1); cast(array() AS ARRAY<INT>); cast(NULL AS ARRAY<INT>); array(1, 2, 3); sequence(3, 1)',
        'texts': 'array("b", "a", NULL); cast(NULL AS ARRAY<STRING>); array("x")',
        'one': 'named_struct("k", "x", "n", 1); cast(NULL AS STRUCT<k: STRING, n: INT>); struct("x" AS k, 5 AS n)',
        'many': 'array(named_struct("k", "x", "n", 1), NULL); cast(NULL AS ARRAY<STRUCT<k: STRING, n: INT>>)',
        'map': 'map("a", 1, "b", NULL); cast(NULL AS MAP<STRING, INT>); map("a", 9)', 'ms': 'map("p", named_struct("k", "v", "n", 0))',
        'nss': 'array(array(1, 2), NULL); array(array(1))',
    },
    'functions': {
        'int': '''
            {one}.n; {many}[{int}].n; {many}.n[0]; {ints}[{int}]; element_at({ints}, 1); element_at({map}, {text}); {map}[{text}]; {ms}[{text}].n; size({ints});
            size({many}); size({map}); size({nss}); cardinality({ms}); array_max({ints}); array_min({ints}); array_max({nss})[0]; array_max({many}).n; array_min({many}).n; {nss}[0][{int}];
            aggregate({ints}, 0, (a, x) -> a + x); aggregate({ints}, {int}, (a, x) -> coalesce(a, 0) + coalesce(x, {int}), a -> a * 2);
            aggregate({many}, 0, (a, x) -> a + x.n); aggregate({many}, 0, (a, x) -> a + coalesce(x.n, length(x.k), 1));
            aggregate({ints}, named_struct("s", 0, "c", 0), (a, x) -> named_struct("s", a.s + x, "c", a.c + 1), a -> a.s); aggregate({nss}, 0, (a, x) -> a + size(x));
            array_position({ints}, {int}); array_position({texts}, {text}); array_position({many}, {one}); cast(array_position({nss}, {ints}) AS INT);
            aggregate({map}.a, 0, (a, x) -> a); aggregate(map_values({map}), 0, (a, x) -> a + x); get({ints}, {int}); try_element_at({ints}, {int}); try_element_at({map}, {text});
            {int} + {int}; coalesce({int}, {int}); if({truth}, {int}, {int}); hash({ints}); hash({one}); hash({many}); hash({texts}, {int}); length({text});
            aggregate({texts}, 0, (a, x) -> a + length(x)); greatest({int}, {int}); nvl({one}, {one}).n; case when {truth} then {one} end.n; hash({nss});
            aggregate(filter({ints}, x -> x > 0), {int}, (a, x) -> if(x > a, x, a)); aggregate({ints}, 1, (a, x) -> a * (x % 3)); json_array_length(to_json({ints}))
        ''',
        'text': '''
            {one}.k; {many}[{int}].k; {ms}[{text}].k; {texts}[{int}]; element_at({texts}, -1); array_max({texts}); array_min({many}).k; array_join({texts}, ","); array_join({texts}, "|", "?");
            array_join({ints}, "-"); cast({ints} AS STRING); cast({one} AS STRING); cast({many} AS STRING); cast({map} AS STRING); cast({ms} AS STRING); cast({nss} AS STRING); to_json({one});
            to_json({many}); to_json({map}); to_json({ms}); to_json({nss}); to_json({ints}); concat({text}, {text}); concat_ws("-", {texts}, {text}); upper({text}); typeof({one});
            aggregate({texts}, "", (a, x) -> concat(a, x)); aggregate({texts}, "", (a, x) -> concat(a, coalesce(x, "?")), a -> upper(a)); coalesce({text}, {text});
            aggregate({many}, {text}, (a, x) -> concat(a, x.k)); get_json_object(to_json({many}), "$[0].k"); get_json_object(to_json({one}), "$.n"); array_join(transform({many}, x -> x.k), ",");
            array_join({many}.k, ",", "_"); typeof({many}); typeof({nss}); typeof({map}); typeof(map_entries({ms})); concat_ws(",", {many}.k); array_join(map_keys({ms}), ""); string({texts});
            to_json(struct({map} AS a, {ints})); to_json(named_struct("x", {one}, "y", {many}))
        ''',
        'truth': '''
            array_contains({ints}, {int}); array_contains({texts}, {text}); array_contains({many}, {one}); array_contains({nss}, {ints}); arrays_overlap({ints}, {ints}); arrays_overlap({texts}, {texts});
            arrays_overlap({many}, {many}); exists({ints}, x -> x > {int}); exists({many}, x -> x.k = {text}); exists({texts}, x -> x IS NULL); forall({ints}, x -> x > 0); forall({many}, x -> x.n IS NOT NULL);
            forall({texts}, x -> x <> {text}); exists({nss}, x -> exists(x, y -> y = {int})); forall({nss}, x -> size(x) > 0); {ints} = {ints}; {ints} < {ints}; {ints} <=> {ints}; {one} = {one};
            {one} <=> {one}; {one} < {one}; {many} = {many}; {many} >= {many}; {many} <=> {many}; {nss} = {nss}; {nss} > {nss}; {texts} <= {texts}; {one} IN ({one}, {one}); {ints} IN ({ints}, {ints});
            {one} IS NULL; {many} IS NOT NULL; map_contains_key({map}, {text}); {map} IS NULL; {truth} AND {truth}; {truth} OR {truth}; NOT {truth}; {int} > {int}; {text} = {text}; {one}.n = {int};
            {text} IN ({text}, {text}); {one} BETWEEN {one} AND {one}; isnull({map}); {one} <> {one}; {int} IN (1, {int}); (n, s) = ({int}, {text}); {ints} IS NOT DISTINCT FROM {ints}
        ''',
        'ints': '''
            transform({ints}, x -> x + {int}); transform({ints}, (x, i) -> x * i); filter({ints}, x -> x > {int}); filter({ints}, (x, i) -> i > 0); filter({ints}, x -> x IS NOT NULL); {many}.n;
            transform({many}, x -> x.n); transform({nss}, x -> size(x)); transform({nss}, x -> x[0]); flatten({nss}); {nss}[{int}]; element_at({nss}, -1); zip_with({ints}, {ints}, (x, y) -> x + y);
            zip_with({ints}, {texts}, (x, y) -> coalesce(x, length(y))); zip_with({ints}, {many}, (x, y) -> x + y.n); array_sort({ints}); sort_array({ints}); sort_array({ints}, false); array_distinct({ints});
            array_sort({ints}, (a, b) -> case when a < b then 1 when a > b then -1 else 0 end); array_sort({ints}, (a, b) -> coalesce(b, 0) - coalesce(a, 0)); array_union({ints}, {ints}); nvl({ints}, {ints});
            array_intersect({ints}, {ints}); array_except({ints}, {ints}); array_remove({ints}, {int}); array_append({ints}, {int}); array_prepend({ints}, {int}); array_insert({ints}, 2, {int}); reverse({ints});
            slice({ints}, 1, 2); slice({ints}, -2, 2); concat({ints}, {ints}); array_repeat({int}, 2); array({int}, {int}); array_compact({ints}); map_values({map}); coalesce({ints}, {ints});
            if({truth}, {ints}, {ints}); aggregate({ints}, cast(array() AS ARRAY<INT>), (a, x) -> array_append(a, x)); aggregate({nss}, array(0), (a, x) -> concat(a, x)); transform({texts}, x -> length(x));
            transform(sequence(1, 3), x -> x + {int}); array_max({nss}); array_min({nss}); transform(map_entries({map}), e -> e.value); from_json(to_json({ints}), "ARRAY<INT>"); cast({texts} AS ARRAY<INT>);
            filter({ints}, x -> array_contains({ints}, x)); transform({ints}, x -> aggregate({ints}, x, (a, y) -> a + y)); array_insert({ints}, -1, {int}); cast({ints} AS ARRAY<INT>)
        ''',
        'texts': '''
            {many}.k; transform({many}, x -> x.k); transform({texts}, (x, i) -> concat(x, i)); filter({texts}, x -> x > {text}); transform({ints}, x -> cast(x AS STRING)); array_sort({texts});
            sort_array({texts}, false); array_sort({texts}, (a, b) -> length(a) - length(b)); array_distinct({texts}); array_union({texts}, {texts}); array_except({texts}, {texts}); array({text}, {text});
            array_intersect({texts}, {texts}); array_remove({texts}, {text}); map_keys({map}); map_keys({ms}); split({text}, ","); reverse({texts}); concat({texts}, {texts}); cast({ints} AS ARRAY<STRING>);
            zip_with({texts}, {texts}, (x, y) -> concat_ws("/", x, y)); transform({many}, x -> concat(x.k, x.n)); slice({texts}, 1, 1); array_compact({texts}); transform({texts}, x -> upper(x)); array_append({texts}, {text});
            transform(map_entries({map}), e -> concat(e.key, e.value)); flatten(array({texts}, {texts})); transform({texts}, x -> {text}); array_repeat({text}, 2); array({text}, {int}); json_object_keys(to_json({map}))
        ''',
        'one': '''
            named_struct("k", {text}, "n", {int}); {many}[{int}]; element_at({many}, 1); {ms}[{text}]; array_max({many}); array_min({many}); coalesce({one}, {one}); if({truth}, {one}, {one}); array_sort({many})[0];
            from_json(to_json({one}), "k STRING, n INT"); from_json({text}, "k STRING, n INT"); filter({many}, x -> x.n > 0)[0]; struct({text} AS k, {int} AS n); cast(struct({text}, {int}) AS STRUCT<k: STRING, n: INT>);
            aggregate({many}, {one}, (a, x) -> if(x.n > a.n, x, a)); element_at({ms}, {text}); nullif({one}, {one}); case when {truth} then {one} end; try_element_at({many}, {int}); cast({one} AS STRUCT<k: STRING, n: INT>);
            greatest({one}, {one}); least({one}, {one})
        ''',
        'many': '''
            transform({many}, x -> named_struct("k", x.k, "n", x.n + 1)); filter({many}, x -> x.n > {int}); filter({many}, x -> x IS NOT NULL); array({one}, {one}); array_sort({many}); sort_array({many}, false);
            array_distinct({many}); array_union({many}, {many}); array_except({many}, {many}); array_intersect({many}, {many}); array_remove({many}, {one}); reverse({many}); slice({many}, 1, 1); concat({many}, {many});
            array_sort({many}, (a, b) -> a.n - b.n); array_sort({many}, (a, b) -> case when a.k < b.k then -1 when a.k > b.k then 1 else 0 end); transform({ints}, x -> named_struct("k", {text}, "n", x)); array_compact({many});
            transform({texts}, (x, i) -> named_struct("k", x, "n", i)); zip_with({texts}, {ints}, (x, y) -> named_struct("k", x, "n", y)); zip_with({many}, {many}, (x, y) -> coalesce(x, y)); map_values({ms}); array_append({many}, {one});
            from_json(to_json({many}), "ARRAY<STRUCT<k: STRING, n: INT>>"); coalesce({many}, {many}); array_insert({many}, 1, {one}); transform(map_entries({map}), e -> named_struct("k", e.key, "n", e.value)); array_repeat({one}, 2);
            transform(arrays_zip({texts}, {ints}), x -> named_struct("k", x["0"], "n", x["1"])); cast(map_entries({map}) AS ARRAY<STRUCT<k: STRING, n: INT>>); flatten(array({many}, {many})); cast(arrays_zip({texts}, {ints}) AS ARRAY<STRUCT<k: STRING, n: INT>>)
        ''',
        'map': '''
            map({text}, {int}); map_filter({map}, (k, v) -> v > {int}); map_filter({map}, (k, v) -> k <> {text}); transform_values({map}, (k, v) -> v + 1); transform_values({map}, (k, v) -> length(k)); map_from_arrays({texts}, {ints});
            transform_keys({map}, (k, v) -> upper(k)); transform_keys({map}, (k, v) -> concat(k, v)); map_concat({map}, {map}); map_from_entries({many}); map_from_entries(arrays_zip({texts}, {ints})); coalesce({map}, {map});
            map_zip_with({map}, {map}, (k, a, b) -> coalesce(a, b)); map_zip_with({map}, {map}, (k, a, b) -> a + b); transform_values({ms}, (k, v) -> v.n); from_json(to_json({map}), "MAP<STRING, INT>"); if({truth}, {map}, {map});
            map_from_entries(map_entries({map})); map_filter({map}, (k, v) -> array_contains({texts}, k)); map_from_arrays(map_keys({map}), transform(map_values({map}), x -> x * 2)); map_concat({map}, map("zz", {int})); map("a", {int}, "b", {int});
            from_json(to_json({one}), "MAP<STRING, INT>"); cast({map} AS MAP<STRING, INT>); map_from_entries(array(struct({text}, {int})))
        ''',
        'ms': '''
            map({text}, {one}); transform_values({map}, (k, v) -> named_struct("k", k, "n", v)); map_filter({ms}, (k, v) -> v.n IS NOT NULL); transform_keys({ms}, (k, v) -> concat(k, "_")); map_concat({ms}, {ms});
            map_from_arrays({texts}, {many}); from_json(to_json({ms}), "MAP<STRING, STRUCT<k: STRING, n: INT>>"); transform_values({ms}, (k, v) -> named_struct("k", v.k, "n", {int})); map_zip_with({map}, {ms}, (k, a, b) -> coalesce(b, named_struct("k", k, "n", a)))
        ''',
        'nss': '''
            array({ints}, {ints}); transform({nss}, x -> array_sort(x)); transform({ints}, x -> array(x, {int})); filter({nss}, x -> size(x) > 1); array_sort({nss}); sort_array({nss}, false); array_distinct({nss}); concat({nss}, {nss});
            array_union({nss}, {nss}); array_except({nss}, {nss}); transform({ints}, x -> transform({ints}, y -> x + y)); reverse({nss}); transform({nss}, (x, i) -> slice(x, 1, i + 1)); array_append({nss}, {ints}); slice({nss}, 2, 2);
            zip_with({nss}, {ints}, (x, y) -> array_append(x, y)); from_json(to_json({nss}), "ARRAY<ARRAY<INT>>"); array_repeat({ints}, 2); transform({nss}, x -> filter(x, y -> y IS NOT NULL)); transform(sequence(0, 2), i -> {nss}[i]);
            array_remove({nss}, {ints}); array_intersect({nss}, {nss}); transform({texts}, x -> transform(split(x, ""), y -> ascii(y)))
        ''',
    },
    'aggregates': {
        'int': 'count({one}); count(DISTINCT {ints}); count(DISTINCT {one}); sum(size({ints})); max({one}).n; min({one}).n; max({many})[0].n; sum({int}); count({map}); max(struct({int}, id)).id; count(DISTINCT {int}, {text})',
        'ints': 'max({ints}); min({ints}); array_sort(collect_list({int})); array_sort(collect_set({int})); sort_array(flatten(collect_list({ints}))); max_by({ints}, id); first({ints}); array_distinct(array_sort(collect_list({int})))',
        'many': 'array_sort(collect_set({one})); array_sort(collect_list({one})); max({many}); min({many}); min_by({many}, id); array_sort(array_agg({one}))',
        'map': 'max_by({map}, id); min_by({map}, -id); map_from_entries(array_sort(collect_set(struct(id, {int})))); map_from_arrays(array_sort(collect_set({text})), array_sort(collect_set({text})))',
        'text': 'to_json(array_sort(collect_list({one}))); array_join(array_sort(collect_set({text})), ","); to_json(max({one})); cast(array_sort(collect_list({ints})) AS STRING); max({text})',
    },
    'keys': ('int', 'text', 'one', 'ints', 'truth', 'many'),
    'windows': '''
        row_number() OVER w; lag({one}) OVER w; lead({ints}) OVER w; max({one}) OVER w; array_sort(collect_list({int}) OVER w); first_value({map}) OVER w; sum({int}) OVER w; count({many}) OVER w; last_value({ints}) OVER w;
        nth_value({many}, 2) OVER w; min({ints}) OVER w; lag({int}, 1, 0) OVER w
    ''',
    'orders': ('id', 'n, id', 's DESC, id', 'ns, id', 'one.k, id DESC'),
    'laterals': '''
        explode({ints}) e AS x; explode({texts}) e AS x; explode({many}) e AS x; explode({map}) e AS x, y; posexplode({ints}) e AS p, x; posexplode({many}) e AS p, x; posexplode({map}) e AS p, x, y; inline({many}) e AS x, y;
        explode({nss}) e AS x; explode({ms}) e AS x, y; stack(2, {int}, {text}, {int}, {text}) e AS x, y; json_tuple(to_json({one}), 'k', 'n') e AS x, y; explode(map_entries({map})) e AS x; explode(split({text}, ',')) e AS x
    ''',
}

DECIMAL = {
    'from': r'''
        (SELECT id, cast(a AS DECIMAL(5,2)) AS a, cast(b AS DECIMAL(10,0)) AS b, cast(c AS DECIMAL(18,4)) AS c, cast(d AS DECIMAL(20,10)) AS d, cast(e AS DECIMAL(38,10)) AS e, cast(f AS DECIMAL(38,0)) AS f, cast(g AS DECIMAL(38,38)) AS g,
        cast(h AS DECIMAL(3,3)) AS h, i, l, x, cast(x AS FLOAT) AS y, s FROM VALUES
        (1, '1.25', '100', '12345678901234.5678', '1234567890.0123456789', '1234567890123456789012345678.0123456789', '12345678901234567890123456789012345678', '0.12345678901234567890123456789012345678', '0.125', 3, 9223372036854775807L, 1.5D, '1.5'),
        (2, '-999.99', '-9999999999', '-99999999999999.9999', '-9999999999.9999999999', '-9999999999999999999999999999.9999999999', '-99999999999999999999999999999999999999', '-0.99999999999999999999999999999999999999', '-0.999', -2147483648, -9223372036854775807L, -1e300D, '-1e2'),
        (3, '0.00', '0', '0', '0', '0', '0', '0', '0', 0, 0L, 0.0D, '0.00'),
        (4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
        (5, '0.005', '7', '0.00005', '0.00000000005', '2.5', '3', '0.00000000000000000000000000000000000001', '0.0005', 7, 123456789012L, 0.1D, 'x'),
        (6, '2.50', '-3', '-2.5', '3.3333333333', '0.0000000001', '-1', '0.5', '0.333', -7, -5L, 1234567.891D, ' 12345678901234567890.5 ') AS v(id, a, b, c, d, e, f, g, h, i, l, x, s)) AS t
    ''',
    'columns': {
        'dec': 'a; b; c; d; e; f; g; h; cast(i AS DECIMAL(4,1)); cast(s AS DECIMAL(12,3)); cast(x AS DECIMAL(15,5))', 'small': 'a; h; b; cast(id AS DECIMAL(2,1)); cast(s AS DECIMAL(7,2))', 'int': 'i; cast(id AS INT); cast(id AS TINYINT); cast(a AS INT)',
        'big': 'l; cast(i AS BIGINT)', 'double': 'x; y; cast(a AS DOUBLE); cast(c AS FLOAT)', 'text': 's; cast(a AS STRING); cast(g AS STRING)', 'truth': 'a > 1; i IS NULL; b = 7',
        'decs': 'array(a, h); array(a, b, c); array(d, i)',
    },
    'constants': {
        'dec': '0.0; 1.0; -1.5; 0.1; 99999999999999999999999999999999999999; 1e2BD; 0.00000000000000000001; 2.5; 3.45; 123456789.123456789; NULL; 10BD', 'small': '0.5; 1.0; -2.25; 3; 0BD; 9.99', 'int': '0; 1; -1; 10; 3; 2147483647; NULL',
        'big': '0L; 10L; 9223372036854775807L', 'double': '0.0D; 1e10D; 0.1D; -2.5D; 1e-3F; double("NaN"); double("inf"); 1.005D; 1e38D', 'text': '"1"; "1.50"; "-0.0"; "abc"; "1e3"; ""; "99999999999999999999"; ".5"; NULL', 'truth': 'true; false; NULL',
        'decs': 'array(1.5, 2.25, NULL); array(1, 2.5)',
    },
    'functions': {
        'dec': '''
            {dec} + {dec}; {dec} - {dec}; {dec} * {dec}; {dec} / {dec}; {dec} % {dec}; pmod({dec}, {dec}); {dec} + {int}; {int} * {dec}; {dec} / {int}; {big} / {dec}; {dec} - {big}; {dec} % {int}; {small} * {small}; {small} / {small}; {small} + {small};
            {small} % {small}; -{dec}; abs({dec}); round({dec}); round({dec}, 1); round({dec}, 3); round({dec}, -2); bround({dec}, 1); bround({dec}, -1); ceil({dec}); floor({dec}); ceil({dec}, 1); floor({dec}, 2); floor({dec}, -1); ceil({dec}, -2); sign({dec});
            cast({dec} AS DECIMAL(10,2)); cast({dec} AS DECIMAL(5,0)); cast({dec} AS DECIMAL(38,18)); cast({dec} AS DECIMAL(20,19)); cast({text} AS DECIMAL(10,3)); cast({double} AS DECIMAL(10,4)); cast({big} AS DECIMAL(10,0)); cast({int} AS DECIMAL(3,1));
            cast({double} AS DECIMAL(38,20)); cast({truth} AS DECIMAL(3,1)); decimal({double}); coalesce({dec}, {dec}); coalesce({small}, {int}); nvl({dec}, {int}); if({truth}, {dec}, {dec}); if({truth}, {small}, {int}); greatest({dec}, {dec}); least({small}, {small}, {int});
            case when {truth} then {dec} when {truth} then {small} else {int} end; nullif({dec}, {int}); nullif({dec}, {dec}); {decs}[0]; element_at({decs}, -1); array_max({decs}); array_min({decs}); aggregate({decs}, cast(0 AS DECIMAL(38,10)), (p, q) -> cast(p + q AS DECIMAL(38,10)));
            try_add({dec}, {dec}); try_subtract({small}, {dec}); try_multiply({dec}, {dec}); try_divide({dec}, {dec}); positive({dec}); to_number({text}, "999.99"); {small} * {int}; {small} - {big}; {int} / {small}; mod({dec}, {small}); abs({small} - {small}); from_json({text}, "q DECIMAL(5,2)").q;
            mod({int}, {small}); cast(cast({dec} AS STRING) AS DECIMAL(18,6)); cast({dec} AS DECIMAL(38,0)) / 3; {dec} * {dec} * {small}; ({small} + {small}) / {small}; {small} / {small} / {small}; get({decs}, {int})
        ''',
        'small': '{small} + 1; round({dec}, 0); cast({dec} AS DECIMAL(6,1)); cast({int} AS DECIMAL(5,2)); coalesce({small}, 0); -{small}; {small} * 2; nanvl({double}, 1); abs({small}); {small} % 3; ceil({small}); if({truth}, {small}, 1.0)',
        'int': 'cast({dec} AS INT); int({small}); cast({dec} AS SMALLINT); cast({dec} AS TINYINT); {small} div {small}; {dec} div {int}; hash({dec}); hash({small}, {dec}); coalesce({int}, 1); if({truth}, {int}, 2); length({text}); width_bucket({small}, 0, 10, 5); cast({dec} div {dec} AS INT)',
        'big': 'cast({dec} AS BIGINT); bigint({small}); floor({double}); ceil({double}); {dec} div {dec}; xxhash64({dec}); {big} div {small}; cast({double} AS BIGINT); unix_seconds(cast({small} AS TIMESTAMP)); unix_micros(cast({dec} AS TIMESTAMP)); coalesce({big}, {int}); xxhash64({small}, {dec})',
        'double': '''
            {dec} + {double}; {double} * {dec}; {dec} / {double}; {dec} - {text}; {text} * {small}; cast({dec} AS DOUBLE); cast({dec} AS FLOAT); sqrt({dec}); exp({small}); ln({dec}); log(2, {small}); power({small}, 2); power({dec}, 0.5); round({double}, 2); {small} % {double};
            coalesce({double}, {dec}); greatest({dec}, {double}); least({small}, {double}); if({truth}, {dec}, {double}); log10({dec}); signum({dec}); bround({double}, 1); float({small}); {text} / {dec}; pmod({dec}, {double}); atan2({small}, {dec}); degrees({small}); cast({text} AS DOUBLE); {dec} % {text}
        ''',
        'text': '''
            cast({dec} AS STRING); concat({dec}, "x"); {small} || {dec}; format_number({dec}, 2); format_number({small}, 0); format_string("%.2f|%s|%10.3f", {dec}, {small}, {dec}); to_json(named_struct("q", {dec})); typeof({dec}); typeof({small}); to_char({small}, "999.99"); to_json({decs});
            typeof({dec} * {dec}); typeof({dec} / {dec}); typeof({dec} + {dec}); cast({decs} AS STRING); to_char({dec}, "S0999999.9"); coalesce({text}, {dec}); array_join({decs}, ","); typeof({decs}); if({truth}, {text}, {dec}); cast({double} AS STRING); repeat({text}, 1); hex({small}); to_csv(struct({dec}, {small}));
            concat_ws(",", {small}, {dec}); substring({dec}, 1, 4); nvl({text}, {dec}); conv({small}, 10, 16); bin({small}); md5(cast({dec} AS STRING)); lpad({dec}, 12, "0"); chr({small}); space({small} % 3); substr("abcdef", {small} % 3)
        ''',
        'truth': '''
            {dec} = {dec}; {dec} < {dec}; {dec} >= {dec}; {dec} <> {dec}; {dec} <=> {dec}; {dec} = {int}; {dec} > {big}; {dec} < {double}; {dec} = {double}; {dec} = {text}; {small} < {text}; {text} > {dec}; {dec} BETWEEN {dec} AND {dec}; {small} BETWEEN {int} AND {double}; {dec} IN ({dec}, {dec}); {dec} IN ({int}, {dec});
            {small} IN ({text}, "1.5"); {dec} IS NULL; {small} NOT IN (1, 2.5); {dec} <=> {int}; {truth} AND {truth}; {truth} OR {truth}; NOT {truth}; cast({dec} AS BOOLEAN); boolean({small}); array_contains({decs}, {dec}); array_contains({decs}, {int}); exists({decs}, q -> q > {dec}); {decs} = {decs}; isnan({dec});
            {int} = {small}; {big} >= {dec}; {double} <=> {small}; {small} IN ({double}, 1); {dec} = {truth}; {small} = "1.50"; coalesce({small}, 0) = 0; {decs} < {decs}; arrays_overlap({decs}, {decs})
        ''',
        'decs': 'array({dec}, {dec}); array({small}, {int}); transform({decs}, q -> q * 2); transform({decs}, q -> q / 3); array_sort({decs}); sort_array({decs}, false); array_distinct({decs}); concat({decs}, {decs}); array_union({decs}, {decs}); filter({decs}, q -> q > {small}); cast({decs} AS ARRAY<DECIMAL(8,1)>); array_append({decs}, {small}); array_remove({decs}, {small}); array_except({decs}, {decs}); array_repeat({dec}, 2); sequence({int} % 3, 2); zip_with({decs}, {decs}, (p, q) -> p + q); array_prepend({decs}, {dec}); array_insert({decs}, 1, {dec})',
    },
    'aggregates': {
        'dec': 'sum({dec}); avg({dec}); max({dec}); min({dec}); sum({small}); avg({small}); sum(DISTINCT {dec}); sum({small} * {int}); max_by({dec}, id); avg({int} * {small}); sum({dec} / {small}); first({dec}); mean({dec}); try_sum({dec}); try_avg({dec}); sum({dec}) / count({dec}); avg(DISTINCT {small}); sum({small}) * 2; sum(CASE WHEN {truth} THEN {dec} END); sum({small}) FILTER (WHERE {truth}); percentile_approx({small}, 0.5)',
        'double': 'median({small}); percentile({small}, 0.3); round(stddev({small}), 6); round(var_pop({small}), 6); avg({double}); max({double}); percentile({dec}, array(0.1, 0.9)); round(corr({small}, {int}), 6)',
        'int': 'count({dec}); count(DISTINCT {dec}); count_if({dec} > 0); count(DISTINCT {small}, {dec}); approx_count_distinct({dec})', 'text': 'typeof(sum({dec})); typeof(avg({dec})); cast(sum({small}) AS STRING); to_json(array_sort(collect_list({small}))); cast(array_sort(collect_set({dec})) AS STRING)',
        'decs': 'array_sort(collect_list({dec})); array_sort(collect_set({small}))',
    },
    'keys': ('dec', 'small', 'truth', 'int'),
    'windows': 'sum({dec}) OVER w; avg({dec}) OVER w; max({small}) OVER w; lag({dec}, 1, 0) OVER w; lead({small}, 1, 1.5) OVER w; sum({small}) OVER w; avg({small}) OVER w; first_value({dec}) OVER w; ntile(2) OVER w; rank() OVER w; min({dec}) OVER w; count({dec}) OVER w',
    'orders': ('id', 'a, id', 'e DESC, id', 'h NULLS LAST, id'),
    'laterals': 'explode({decs}) e AS q; stack(2, {dec}, {small}) e AS q; posexplode({decs}) e AS p, q; explode(array({dec}, {int})) e AS q',
}

TIME = {
    'from': r'''
        (SELECT id, timestamp_seconds(u) + make_dt_interval(0, 0, 0, f) AS ts, cast(d AS DATE) AS d, s, u, i, cast(s AS TIMESTAMP_NTZ) AS ntz FROM VALUES
        (1, 1710054000L, 0.5, '2024-03-10', '2024-03-10 02:30:00', 1), (2, 1710053999L, 0.999999, '2024-11-03', '2024-11-03 01:30:00', 2), (3, 1730613600L, 0, '2024-03-31', '2024-03-31 02:30:00.123', 24), (4, 1730610000L, 0.000001, '1969-12-31', '1969-12-31 23:59:59.999999', -1),
        (5, -1L, 0.25, '2018-11-04', '2018-11-04', 31), (6, 1711846800L, 0.75, '2024-02-29', '2024-02-29T23:30:00Z', 12), (7, NULL, NULL, NULL, NULL, NULL), (8, 1729990799L, 0.999, '2024-10-27', '2024-10-27 02:30:00+01:00', 7), (9, -2208988800L, 0.5, '1900-01-01', '1900-01-01 12:00', 100),
        (10, 1704067200L, 0, '2023-12-31', 'no time', 0), (11, 1709251199L, 0.1, '2024-04-07', '2024-04-07 01:59:59 Australia/Lord_Howe', 59) AS v(id, u, f, d, s, i)) AS t
    ''',
    'columns': {
        'time': 'ts; ts; cast(s AS TIMESTAMP); cast(d AS TIMESTAMP)', 'date': 'd; cast(ts AS DATE); cast(s AS DATE)', 'int': 'i; hour(ts); day(d); cast(id AS INT)', 'big': 'u; unix_timestamp(ts); cast(ts AS BIGINT)', 'text': 's; cast(ts AS STRING); cast(d AS STRING)', 'truth': 'ts > "2024-03-10"; d IS NULL; i > 5',
        'span': 'make_dt_interval(0, i); make_dt_interval(i); ts - cast(d AS TIMESTAMP)', 'months': 'make_ym_interval(0, i); make_ym_interval(i)', 'ntz': 'ntz; cast(ts AS TIMESTAMP_NTZ)', 'times': 'array(ts, cast(d AS TIMESTAMP))',
    },
    'constants': {
        'time': 'TIMESTAMP"2024-03-10 02:30:00"; TIMESTAMP"2024-11-03 01:30:00"; TIMESTAMP"2024-11-03 01:30:00-05:00"; TIMESTAMP"2024-07-01 12:34:56.789"; TIMESTAMP"1969-12-31 23:59:59.5"; TIMESTAMP"2024-03-09 02:30:00"; NULL; TIMESTAMP"2024-11-02 01:30:00"; TIMESTAMP"1850-06-01 00:00:00"',
        'date': 'DATE"2024-03-10"; DATE"2024-11-03"; DATE"2024-02-29"; DATE"1970-01-01"; DATE"2023-12-31"; NULL; DATE"1883-11-18"', 'int': '0; 1; -1; 24; 25; 12; 3; 60; NULL', 'big': '0L; 1710054000L; 1730613599L; -1L; 1699999999L', 'truth': 'true; false; NULL',
        'text': '"2024-03-10 02:15:00"; "2024-11-03 01:15:00"; "2024-03-10"; "2024-11-03T06:30:00Z"; "03/10/2024 02:30"; "x"; NULL; "2024-03-10 02:30:00 America/New_York"; "2024-07-01 5:6:7"; "T12:30"; "2024-03-10 02:30:00 PST"; "2024"; "2024-03"; " 2024-03-10 12:00:00 "; "2024-11-03 01:30:00.1234567"; "epoch"; "2024-03-10 24:00:00"; "2024-03-10 02:30:00GMT+1"; "2024-03-10 02:30:00 UTC+01:00"',
        'span': 'INTERVAL "1" DAY; INTERVAL "24" HOUR; INTERVAL "1 02:30:00.5" DAY TO SECOND; INTERVAL "-90" MINUTE; INTERVAL 3 HOURS; INTERVAL "0" SECOND; NULL', 'months': 'INTERVAL "1" MONTH; INTERVAL "-1" YEAR; INTERVAL "1-8" YEAR TO MONTH', 'ntz': 'TIMESTAMP_NTZ"2024-03-10 02:30:00"; TIMESTAMP_NTZ"2024-11-03 01:30:00"; NULL', 'times': 'array(TIMESTAMP"2024-11-03 01:30:00", NULL)',
    },
    'functions': {
        'time': '''
            date_trunc("HOUR", {time}); date_trunc("DAY", {time}); date_trunc("WEEK", {time}); date_trunc("MONTH", {time}); date_trunc("QUARTER", {time}); date_trunc("YEAR", {time}); date_trunc("MINUTE", {time}); date_trunc("SECOND", {time}); date_trunc("MILLISECOND", {time}); date_trunc("MICROSECOND", {time}); date_trunc("day", {date}); date_trunc("HOUR", {text});
            {time} + {span}; {time} - {span}; {time} + {months}; {time} - {months}; {date} + {span}; {date} - {span}; {time} + make_interval(0, 1, 0, 2, 3); {time} - make_interval(1, 0, 0, 0, 25); {time} + make_interval(0, {int}, 0, {int}, {int}); {date} + INTERVAL 25 HOURS; to_timestamp({text}); to_timestamp({text}, "yyyy-MM-dd HH:mm:ss"); to_timestamp({text}, "yyyy-MM-dd"); to_timestamp({text}, "MM/dd/yyyy HH:mm");
            to_timestamp(date_format({time}, "yyyy-MM-dd HH:mm:ss XXX"), "yyyy-MM-dd HH:mm:ss XXX"); to_timestamp(date_format({time}, "dd.MM.yy hh a"), "dd.MM.yy hh a"); cast({text} AS TIMESTAMP); cast({date} AS TIMESTAMP); cast({big} AS TIMESTAMP); cast({int} AS TIMESTAMP); cast({ntz} AS TIMESTAMP); timestamp({text}); timestamp_seconds({big}); timestamp_seconds({int} / 8); timestamp_millis({big}); timestamp_micros({big});
            make_timestamp(2024, 3, 10, {int}, {int}, 1.5); make_timestamp(2024, 11, {int}, 1, 30, 59.999999); make_timestamp(2024, 11, 3, 1, {int}, 0); make_timestamp(2024, 3, 10, 2, 30, 0, "America/New_York"); make_timestamp({int}, 1, 1, 0, 0, 60); make_timestamp(2024, 11, 3, {int}, 30, 0, "Asia/Kolkata"); from_utc_timestamp({time}, "America/New_York"); to_utc_timestamp({time}, "America/New_York"); from_utc_timestamp({time}, "Asia/Kolkata"); to_utc_timestamp({time}, "+05:30"); from_utc_timestamp({text}, "Europe/Berlin");
            convert_timezone("UTC", "America/New_York", {ntz}) + INTERVAL "0" SECOND; timestampadd(HOUR, {int}, {time}); timestampadd(DAY, {int}, {time}); timestampadd(MONTH, {int}, {time}); timestampadd(MINUTE, 90, {time}); dateadd(WEEK, {int}, {time}); timestampadd(QUARTER, 1, {time}); timestampadd(YEAR, {int}, {date}); timestampadd(SECOND, {big}, {time}); timestampadd(MILLISECOND, {int}, {time}); timestampadd(MICROSECOND, {int}, {time});
            coalesce({time}, {time}); if({truth}, {time}, {date}); greatest({time}, {time}); least({time}, {date}); nullif({time}, {time}); {times}[0]; element_at({times}, -1); array_max({times}); from_json(concat('{"t":"', {text}, '"}'), "t TIMESTAMP").t; from_json(concat('{"t":"', {text}, '"}'), "t TIMESTAMP", map("timestampFormat", "yyyy-MM-dd HH:mm:ss")).t; from_csv({text}, "t TIMESTAMP").t; last_day({time}) + INTERVAL "2" HOUR;
            to_timestamp_ltz({text}); try_to_timestamp({text}); to_timestamp({date}); to_timestamp({ntz}); cast({time} AS TIMESTAMP); cast(cast({time} AS STRING) AS TIMESTAMP); cast(cast({time} AS DOUBLE) AS TIMESTAMP); cast(cast({time} AS DECIMAL(20,6)) AS TIMESTAMP); next_day({time}, "Sun") + make_dt_interval(0, {int})
        ''',
        'date': '''
            cast({time} AS DATE); to_date({time}); to_date({text}); to_date({text}, "yyyy-MM-dd HH:mm:ss"); cast({text} AS DATE); date_add({time}, {int}); date_sub({time}, 1); add_months({time}, {int}); last_day({time}); next_day({time}, "Mon"); trunc({time}, "MM"); trunc({date}, "week"); date_add({date}, {int}); {date} + {months}; {date} + 1; coalesce({date}, {date}); date({time}); cast({ntz} AS DATE); {date} - INTERVAL "3" DAY; make_date(2024, {int}, 1); {date} + make_interval(0, 1, 0, 3); add_months({date}, {int});
            to_date(date_format({time}, "yyyyMMdd"), "yyyyMMdd"); date_from_unix_date({int}); if({truth}, {date}, {date}); greatest({date}, {date}); try_cast({text} AS DATE); {date} - {months}; date_add({text}, 1); last_day({text})
        ''',
        'int': '''
            hour({time}); minute({time}); second({time}); day({time}); month({time}); year({time}); quarter({time}); dayofweek({time}); weekday({time}); dayofyear({time}); weekofyear({time}); datediff({time}, {time}); datediff({date}, {time}); extract(HOUR FROM {time}); extract(DAY FROM {span}); extract(HOUR FROM {span}); extract(MONTH FROM {months}); hour({text}); hour({ntz}); minute({date}); date_part("hour", {time}); date_part("WEEK", {time}); extract(YEAROFWEEK FROM {time}); extract(DOW FROM {date});
            day({text}); size(sequence({date}, {date}, INTERVAL 1 MONTH)); coalesce({int}, 0); {int} + 1; hash({time}); hash({date}); if({truth}, {int}, 2); length({text}); extract(MINUTE FROM {span}); unix_date({date}); date_part("dayofweek", {time}); hash({ntz}); extract(YEAR FROM {months}); year({text}); month({ntz})
        ''',
        'big': '''
            unix_timestamp({time}); unix_timestamp({text}); unix_timestamp({text}, "yyyy-MM-dd HH:mm:ss"); unix_timestamp({date}); to_unix_timestamp({text}); cast({time} AS BIGINT); unix_seconds({time}); unix_millis({time}); unix_micros({time}); timestampdiff(HOUR, {time}, {time}); timestampdiff(DAY, {time}, {time}); timestampdiff(MONTH, {time}, {time}); timestampdiff(MINUTE, {date}, {time}); datediff(HOUR, {time}, {time}); datediff(WEEK, {time}, {time}); timestampdiff(YEAR, {date}, {date}); timestampdiff(QUARTER, {time}, {date});
            timestampdiff(SECOND, {time}, {ntz}); coalesce({big}, {int}); {big} + {int}; xxhash64({time}); unix_timestamp({ntz}); to_unix_timestamp({time}); cast(cast({time} AS DOUBLE) AS BIGINT); timestampdiff(MICROSECOND, {time}, {time}); unix_timestamp({text}, "yyyy-MM-dd"); to_unix_timestamp({date}); timestampdiff(MILLISECOND, {ntz}, {ntz})
        ''',
        'text': '''
            date_format({time}, "yyyy-MM-dd HH:mm:ss.SSSSSS"); date_format({time}, "yyyy-MM-dd HH:mm XXX"); date_format({time}, "xxx x xx XX"); date_format({time}, "Z"); date_format({time}, "VV"); date_format({time}, "O"); date_format({time}, "h a EEE D"); date_format({date}, "yyyy-MM-dd HH"); date_format({text}, "HH:mm"); date_format({ntz}, "HH:mm"); date_format({time}, "k K H h"); date_format({time}, "q QQQ y G"); date_format({time}, "MMM d, yyyy"); date_format({time}, "EEEE dd MMMM SSS");
            from_unixtime({big}); from_unixtime({big}, "yyyy-MM-dd HH:mm XXX"); from_unixtime({int}); cast({time} AS STRING); cast({date} AS STRING); cast({span} AS STRING); cast({months} AS STRING); cast({ntz} AS STRING); concat({time}, "/", {date}); to_json(named_struct("t", {time}, "d", {date}, "n", {ntz})); to_json(struct({time} AS t), map("timestampFormat", "yyyy-MM-dd HH:mm")); to_csv(struct({time}, {date})); cast({times} AS STRING); typeof({time} - {time}); typeof({date} - {date}); typeof({time} + {span}); typeof({date} + {span});
            coalesce({text}, {time}); if({truth}, {text}, {date}); cast(from_unixtime({big}) AS STRING); cast(struct({time}, {date}) AS STRING); current_timezone(); substring({time}, 12, 5); typeof({date} - {time}); format_string("%s", {time}); cast(map("a", {time}) AS STRING); date_format({time}, "yyyy-MM-dd'T'HH:mm:ss.SSSXXX"); concat_ws(" ", {time}, {text})
        ''',
        'truth': '''
            {time} = {time}; {time} < {date}; {time} >= {text}; {date} = {text}; {date} < {date}; {time} <=> {time}; {time} BETWEEN {text} AND {time}; {time} IN ({time}, {time}); {date} IN ({text}, {date}); {ntz} = {time}; {ntz} < {text}; {ntz} > {date}; {truth} AND {truth}; NOT {truth}; {span} > {span}; {span} = {span}; {months} < {months}; {time} IS NULL; hour({time}) = {int}; cast({time} AS DATE) = {date}; array_contains({times}, {time}); {text} = {time}; {text} < {date}; {time} - {time} > {span}; {time} <> {ntz}; exists({times}, x -> hour(x) = {int}); {time} = {date}
        ''',
        'span': '''
            {time} - {time}; {time} - {date}; {date} - {date}; {date} - {time}; {span} + {span}; {span} - {span}; {span} * 2; {span} / 4; -{span}; abs({span}); make_dt_interval({int}, {int}, 0, 1.5); coalesce({span}, {span}); if({truth}, {span}, {span}); {ntz} - {ntz}; {ntz} - {time}; {span} * 0.5; {time} - {ntz}; greatest({span}, {span}); {span} * {int}; {span} / {int}
        ''',
        'months': '{months} + {months}; {months} * 2; -{months}; {months} / 3; make_ym_interval({int}, {int}); coalesce({months}, {months}); if({truth}, {months}, {months}); {months} - {months}; abs({months}); {months} * 1.5',
        'ntz': 'cast({time} AS TIMESTAMP_NTZ); cast({text} AS TIMESTAMP_NTZ); {ntz} + {span}; {ntz} + {months}; cast({date} AS TIMESTAMP_NTZ); to_timestamp_ntz({text}); convert_timezone("America/New_York", "Asia/Kolkata", {ntz}); convert_timezone("Europe/Berlin", {ntz}); convert_timezone("Asia/Kolkata", {time}); make_timestamp_ntz(2024, 3, 10, {int}, 30, 1.25); date_trunc("DAY", {ntz}); localtimestamp() - localtimestamp() + {ntz}; coalesce({ntz}, {ntz}); timestampadd(DAY, {int}, {ntz}); {ntz} - {span}; date_trunc("WEEK", {ntz}); if({truth}, {ntz}, {ntz}); timestampadd(MONTH, 1, {ntz}); greatest({ntz}, {ntz}); {ntz} + make_interval(0, 1, 0, 0, 1)',
        'times': 'array({time}, {time}); sequence(TIMESTAMP"2024-03-09 12:00:00", TIMESTAMP"2024-03-11 12:00:00", INTERVAL 12 HOURS); sequence({time}, {time} + INTERVAL 3 DAYS, INTERVAL 1 DAY); sequence({time}, {time} + INTERVAL 2 MONTHS, INTERVAL 1 MONTH); sequence(cast({date} AS TIMESTAMP), {date} + INTERVAL 5 HOURS, INTERVAL 1 HOUR); array_sort({times}); transform({times}, x -> x + {span}); sequence({time}, {time} - INTERVAL 3 DAYS, INTERVAL -1 DAY); transform({times}, x -> date_trunc("DAY", x)); array_distinct({times}); sequence({date}, date_add({date}, 3)); sequence(TIMESTAMP"2024-11-02 01:30:00", TIMESTAMP"2024-11-05 00:00:00", INTERVAL "1 12" DAY TO HOUR); filter({times}, x -> x > {time}); array({date}, {time}); concat({times}, {times}); sequence({time}, {time} + INTERVAL 1 DAY, INTERVAL "6" HOUR); sequence({date}, {date} + INTERVAL "3" MONTH, INTERVAL 1 MONTH)',
    },
    'aggregates': {
        'time': 'max({time}); min({time}); max_by({time}, id); array_sort(collect_list({time})); array_sort(collect_set({time})); first({time}); max({ntz}); count(DISTINCT {time}); max(date_trunc("DAY", {time})); percentile_approx({time}, 0.5)', 'date': 'max({date}); min({date}); count(DISTINCT cast({time} AS DATE)); max(last_day({time}))',
        'span': 'max({span}); sum({span}); avg({span}); min({time} - {time}); sum({months}); avg({months}); max({months})', 'big': 'sum(unix_seconds({time})); max(hour({time})); min(unix_micros({time})); count_if({time} > {time}); sum({big})', 'text': 'max(date_format({time}, "HH:mm")); array_join(array_sort(collect_list(cast({time} AS STRING))), ","); max({text})',
    },
    'keys': ('date', 'int', 'truth', 'time', 'ntz', 'text'),
    'group_keys': 'date_trunc("DAY", {time}); cast({time} AS DATE); hour({time}); date_format({time}, "yyyy-MM-dd HH"); window({time}, "1 day"); window({time}, "12 hours"); window({time}, "1 day", "12 hours"); window({time}, "1 week"); window({time}, "1 day", "1 day", "5 hours"); window({ntz}, "6 hours"); session_window({time}, "2 days"); date_trunc("WEEK", {time}); last_day({time}); {date}; window({time}, "90 minutes")',
    'windows': 'lag({time}) OVER w; lead({date}, 1, DATE"2024-01-01") OVER w; max({time}) OVER w; min({date}) OVER w; {time} - lag({time}) OVER w; count({time}) OVER w; first_value({time}) OVER w; sum({span}) OVER w; rank() OVER w; last_value({ntz}) OVER w; lead({span}) OVER w',
    'orders': ('id', 'ts, id', 'd DESC, id', 'ntz, id', 'date_trunc("DAY", ts), id', 'hour(ts), id'),
    'laterals': 'explode({times}) e AS x; posexplode({times}) e AS p, x; explode(sequence({date}, date_add({date}, 2))) e AS x; stack(2, {time}, {date}, {time}, {date}) e AS x, y; explode(map("a", {time})) e AS x, y',
}

MODES = {'nested': NESTED, 'decimal': DECIMAL, 'time': TIME}
