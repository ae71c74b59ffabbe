-- Questions of meaning. Spark 3.5's answers are in semantics.golden.jsonl (ANSI mode off, time zone UTC).

-- three-valued logic
SELECT NULL AND TRUE, NULL AND FALSE, NULL OR TRUE, NULL OR FALSE, NOT NULL;
SELECT NULL = NULL, NULL <=> NULL, 1 <=> NULL, NULL <> 1;
SELECT 1 IN (1, NULL), 2 IN (1, NULL), 2 NOT IN (1, NULL), NULL IN (1, 2);
SELECT count(*) FROM people WHERE age <> 31;
SELECT count(*) FROM people WHERE NOT (age = 31);
SELECT count(*) FROM people WHERE NOT (age = 31 AND city = 'Bern');
SELECT count(*) FROM people WHERE age NOT IN (31, 18, NULL);
SELECT count(*) FROM people WHERE age NOT BETWEEN 10 AND 40;
SELECT count(*) FROM people WHERE name NOT LIKE 'A%';
SELECT count(*) FROM people WHERE active IS NOT TRUE;
SELECT count(*) FROM people WHERE coalesce(city, '') = '';
SELECT id FROM people WHERE city IS NULL OR city = '' ORDER BY id;
SELECT id FROM people WHERE CASE WHEN age > 30 THEN NULL ELSE TRUE END ORDER BY id;
SELECT nullif(1, 1), nullif(1, 2), nullif(NULL, 1), if(NULL, 'a', 'b'), nvl2(NULL, 1, 2);
SELECT greatest(1, NULL, 3), least(NULL, 2), coalesce(NULL, NULL);

-- numbers
SELECT 7 / 2, 6 / 2, 7 DIV 2, -7 DIV 2, 7 % 3, -7 % 3, pmod(-7, 3), 7 % -3;
SELECT 1 / 0, 1 % 0, 1.0 / 0, 0 / 0, 1 DIV 0;
SELECT typeof(1 / 2), typeof(1 + 1), typeof(1 + 1L), typeof(1.5 + 1), typeof(1.5 * 2.25), typeof(1e0), typeof(10 / 4.0), typeof(2147483648);
SELECT 0.1 + 0.2, 0.1D + 0.2D, 1e16 + 1, 1.10 = 1.1, 1 = 1.0, '1' = 1, '1.0' = 1, 'a' = 1;
SELECT 12345678901234567890 + 0, 9223372036854775807 + 0, 99999999999999999999999999999999999999;
SELECT round(2.5), round(-2.5), round(3.5), bround(2.5), bround(3.5), round(1234.567, -2), round(1.005, 2), ceil(-1.2), floor(-1.2), ceil(1.234, 2);
SELECT CAST(1.9 AS INT), CAST(-1.9 AS INT), CAST('1.9' AS INT), CAST('abc' AS INT), CAST('' AS INT), CAST(' 7 ' AS INT), CAST(300 AS TINYINT), CAST(1e20 AS BIGINT);
SELECT CAST('true' AS BOOLEAN), CAST('T' AS BOOLEAN), CAST('yes' AS BOOLEAN), CAST('0' AS BOOLEAN), CAST('maybe' AS BOOLEAN), CAST(2 AS BOOLEAN);
SELECT CAST(1.0 AS STRING), CAST(1e10 AS STRING), CAST(1.5E-7 AS STRING), CAST(100000000000000000000D AS STRING), CAST(true AS STRING), CAST(1.10BD AS STRING), CAST(CAST(1 AS FLOAT) AS STRING);
SELECT CAST(12.345 AS DECIMAL(4,2)), CAST(123.45 AS DECIMAL(4,2)), CAST('1e3' AS DECIMAL(10,2)), CAST(balance AS DECIMAL(5,1)) FROM people WHERE id = 1;
SELECT sum(age), avg(age), count(age), min(age), max(age), sum(age) / count(*) FROM people;
SELECT sum(balance), avg(balance), typeof(sum(balance)), typeof(avg(balance)), typeof(sum(age)), typeof(avg(age)) FROM people;
SELECT sum(amount), avg(amount), min(amount), max(amount), stddev(amount), variance(amount) FROM orders WHERE amount < 1000;
SELECT sum(age), count(*), max(name), avg(age) FROM people WHERE 1 = 0;
SELECT count(DISTINCT city), count(DISTINCT city, age), count(DISTINCT name) FROM people;
SELECT max(id), min(id) FROM people;
SELECT sum(CAST(id AS DECIMAL(38,0))) FROM people;
SELECT float('NaN') = float('NaN'), float('NaN') > 1e30, isnan(float('NaN')), float('inf') > 1, -0.0 = 0.0;
SELECT 5 & 3, 5 | 3, 5 ^ 3, ~5, shiftleft(1, 4), shiftright(-16, 2), bit_count(7);
SELECT hex(255), hex('abc'), unhex('616263'), bin(10), conv('100', 2, 10), factorial(5), cbrt(27), hypot(3, 4), sign(-2.5), log(2, 8), log1p(0), expm1(0);
SELECT 1 + '2', '3' * '4', '5' - 2, 'a' + 1, concat(1, 'a', true, NULL), 1 || 2;

-- strings
SELECT length('Chloé'), length('😀'), octet_length('é'), char_length(' a '), upper('straße'), lower('ÅSA'), initcap('hello wORLD foo-bar');
SELECT substring('hello', 2), substring('hello', 0, 2), substring('hello', -3), substring('hello', -3, 2), substring('hello', 2, 100), substr('hello', 10), left('hello', 2), right('hello', 2), left('a', 5), right('a', -1);
SELECT trim('  a '), trim('x' FROM 'xxaxx'), ltrim('  a '), rtrim(' a  '), trim(BOTH 'ab' FROM 'abcab'), btrim('xxaxx', 'x');
SELECT instr('banana', 'na'), locate('na', 'banana', 4), position('x' IN 'banana'), find_in_set('b', 'a,b,c'), replace('banana', 'na', 'xy'), replace('aaa', 'a'), translate('abc', 'ab', 'x');
SELECT split('a,b,,c', ','), split('a1b2c', '[0-9]'), split('a,b,c', ',', 2), split_part('a.b.c', '.', 2), split_part('a.b.c', '.', -1), concat_ws('-', 'a', NULL, 'b'), concat_ws('-', array('x', NULL, 'y'));
SELECT 'abc' LIKE 'a_c', 'abc' LIKE 'A%', 'a%c' LIKE 'a\\%c', 'abc' LIKE '%', '' LIKE '%', 'a\nb' LIKE 'a%b', 'abc' ILIKE 'A%';
SELECT 'abc' RLIKE 'b', 'abc' RLIKE '^b', regexp_extract('foo-12-bar', '(\\w+)-(\\d+)', 2), regexp_extract('foo', '(\\d+)', 1), regexp_replace('a1b22', '[0-9]+', '#'), regexp_count('a1b22', '\\d'), regexp_instr('ab1', '\\d'), regexp_substr('ab12', '\\d+');
SELECT lpad('7', 3, '0'), rpad('abcdef', 3, 'x'), lpad('a', 4), repeat('ab', 2), reverse('héllo'), space(2), ascii('A'), chr(233), base64('abc'), unbase64('YWJj'), md5('a'), sha1('a'), crc32('a');
SELECT 'b' > 'B', 'a' < 'é', '10' < '9', 'a' = 'a ', '' < 'a';
SELECT id, name FROM people WHERE name > 'O' ORDER BY name, id;
SELECT name FROM people WHERE name LIKE '%\\%%' ORDER BY name;
SELECT name FROM people WHERE contains(name, '\\') ORDER BY name;
SELECT name FROM people WHERE name = 'O\'Brien' OR name = '李雷' OR name = '😀 smile' ORDER BY name;
SELECT name, length(name) FROM people WHERE name LIKE '_' ORDER BY name;
SELECT soundex('Robert'), levenshtein('kitten', 'sitting'), format_number(1234567.891, 2), printf('%05d|%s', 42, 'x'), elt(2, 'a', 'b'), overlay('abcdef' PLACING '12' FROM 2), parse_url('http://a.b/c?d=e', 'HOST');

-- dates and times
SELECT DATE '2024-02-29' + INTERVAL 1 YEAR, add_months(DATE '2024-01-31', 1), date_add(DATE '2024-02-28', 2), datediff(DATE '2024-03-01', DATE '2024-02-01'), last_day(DATE '2023-02-03'), next_day(DATE '2024-01-01', 'Mon'), months_between(DATE '2024-03-31', DATE '2024-02-29');
SELECT year(DATE '2024-12-30'), weekofyear(DATE '2024-12-30'), dayofweek(DATE '2024-12-29'), weekday(DATE '2024-12-29'), dayofyear(DATE '2024-12-31'), quarter(DATE '2024-10-01'), extract(WEEK FROM DATE '2021-01-01');
SELECT date_trunc('WEEK', TIMESTAMP '2024-05-15 13:14:15'), date_trunc('HOUR', TIMESTAMP '2024-05-15 13:14:15'), date_trunc('QUARTER', TIMESTAMP '2024-05-15 13:14:15'), trunc(DATE '2024-05-15', 'MM'), trunc(DATE '2024-05-15', 'x');
SELECT date_format(TIMESTAMP '2024-05-05 03:04:05.678', 'yyyy-MM-dd HH:mm:ss.SSS'), date_format(TIMESTAMP '2024-05-05 13:04:05', 'EEE d MMM yy h:mm a'), date_format(DATE '2024-05-05', 'dd/MM/yyyy'), date_format(TIMESTAMP '2024-05-05 03:04:05', "yyyy-MM-dd'T'HH:mm:ss");
SELECT to_date('2024-1-2'), to_date('20240102', 'yyyyMMdd'), to_date('nonsense'), to_date('2024-02-30'), to_timestamp('2024-01-02T03:04:05Z'), to_timestamp('2024-01-02'), to_timestamp('02.01.2024 03:04', 'dd.MM.yyyy HH:mm');
SELECT CAST('2024-01-02 03:04:05' AS DATE), CAST('2024-01-02T03:04:05+02:00' AS TIMESTAMP), CAST('2024' AS DATE), CAST('2024-13-01' AS DATE), CAST(DATE '2024-01-02' AS TIMESTAMP), CAST(TIMESTAMP '2024-01-02 03:04:05' AS STRING), CAST(DATE '2024-01-02' AS STRING), CAST(TIMESTAMP '2024-01-02 03:04:05.120' AS STRING);
SELECT unix_timestamp('2024-01-01 00:00:00'), unix_timestamp(TIMESTAMP '2024-01-01 00:00:00'), from_unixtime(1704067200), from_unixtime(1704067200, 'yyyy'), timestamp_seconds(1704067200), timestamp_millis(1704067200123), unix_millis(TIMESTAMP '2024-01-01 00:00:00.5'), CAST(TIMESTAMP '2024-01-01 00:00:00' AS BIGINT), CAST(1704067200 AS TIMESTAMP);
SELECT TIMESTAMP '2024-01-02 03:04:05' - TIMESTAMP '2024-01-01 00:00:00', DATE '2024-01-02' - DATE '2024-01-01', TIMESTAMP '2024-01-01 00:00:00' + INTERVAL '1 02:03:04' DAY TO SECOND, DATE '2024-01-31' + INTERVAL 1 MONTH, DATE '2024-01-01' + 5, timestampdiff(HOUR, TIMESTAMP '2024-01-01 00:00:00', TIMESTAMP '2024-01-02 01:30:00'), timestampadd(DAY, 3, TIMESTAMP '2024-01-01 00:00:00');
SELECT from_utc_timestamp(TIMESTAMP '2024-07-01 12:00:00', 'Europe/Zurich'), to_utc_timestamp(TIMESTAMP '2024-07-01 12:00:00', 'America/New_York'), convert_timezone('UTC', 'Asia/Tokyo', TIMESTAMP_NTZ '2024-07-01 12:00:00'), make_timestamp(2024, 1, 2, 3, 4, 5.678);
SELECT id, joined FROM people WHERE joined >= '2024-01-01' ORDER BY joined, id;
SELECT id FROM people WHERE joined = TIMESTAMP '2019-12-31 23:59:59.999' ORDER BY id;
SELECT id FROM people WHERE joined BETWEEN '2019-12-31' AND '2020-01-01' ORDER BY id;
SELECT id FROM people WHERE born < '1970-01-01' ORDER BY id;
SELECT id FROM people WHERE joined < born ORDER BY id;
SELECT year(joined) AS y, count(*) FROM people GROUP BY year(joined) ORDER BY y;
SELECT date_trunc('MONTH', ts) AS m, count(*), sum(amount) FROM orders GROUP BY date_trunc('MONTH', ts) ORDER BY m;

-- arrays, maps, structs
SELECT tags, size(tags), tags[0], tags[9], array_contains(tags, 'a'), array_position(tags, 'a'), array_max(tags) FROM people ORDER BY id;
SELECT size(NULL), cardinality(array(1, 2)), array(1, 'a'), array(1, NULL), array(), typeof(array(1, 2.5)), element_at(array(1, 2), -1), element_at(map('a', 1), 'b'), try_element_at(array(1, 2), 5);
SELECT sort_array(array('b', NULL, 'a')), sort_array(array(2, 1), false), array_sort(array(3, NULL, 1)), array_distinct(array(1, 1, NULL, NULL)), array_union(array(1), array(1, 2)), array_intersect(array(1, 2), array(2, 3)), array_except(array(1, 2), array(2)), array_remove(array(1, 2, 1), 1), array_repeat('x', 2), arrays_overlap(array(1), array(1, 2)), arrays_zip(array(1, 2), array('a', 'b'));
SELECT slice(array(1, 2, 3), -2, 2), sequence(1, 5, 2), sequence(DATE '2024-01-30', DATE '2024-02-02'), flatten(array(array(1), array(2, 3))), concat(array(1), array(2)), reverse(array(1, 2)), array_join(array('a', NULL, 'b'), ',', '?'), array_append(array(1), 2), array_insert(array(1, 3), 2, 2), array_compact(array(1, NULL));
SELECT transform(array(1, 2), x -> x + 1), filter(array(1, 2, 3), x -> x > 1), aggregate(array(1, 2, 3), 0, (a, x) -> a + x), exists(array(1, NULL), x -> x > 1), forall(array(1, 2), x -> x > 0), zip_with(array(1, 2), array(3, 4), (a, b) -> a * b);
SELECT map('a', 1, 'b', 2)['a'], map('a', 1)['z'], map_keys(map('a', 1)), map_values(map('a', 1)), map_entries(map('a', 1)), map_concat(map('a', 1), map('b', 2)), map_from_arrays(array('a'), array(1)), map_contains_key(map('a', 1), 'a'), str_to_map('a:1,b:2');
SELECT props, props['k'], props['missing'], size(props), map_keys(props) FROM people WHERE id < 9 ORDER BY id;
SELECT address, address.street, address.geo.lat FROM people WHERE id < 7 ORDER BY id;
SELECT named_struct('a', 1, 'b', 'x').b, struct(1, 'x'), struct(id, name AS n) FROM people WHERE id = 1;
SELECT id, explode(tags) AS tag FROM people WHERE id < 6 ORDER BY id, tag;
SELECT id, explode_outer(tags) AS tag FROM people WHERE id < 6 ORDER BY id, tag;
SELECT id, posexplode(tags) FROM people WHERE id < 6 ORDER BY id, pos;
SELECT tag, count(*) AS n FROM people LATERAL VIEW explode(tags) t AS tag GROUP BY tag ORDER BY n DESC, tag;
SELECT p.id, k, v FROM people p LATERAL VIEW explode(props) m AS k, v ORDER BY p.id, k;
SELECT inline(array(struct(1, 'a'), struct(2, 'b')));
SELECT to_json(address), to_json(tags), to_json(named_struct('a', NULL, 'b', 1)) FROM people WHERE id = 1;
SELECT from_json('{"a":1,"b":[true]}', 'a INT, b ARRAY<BOOLEAN>'), get_json_object('{"a":{"b":[1,2]}}', '$.a.b[1]'), json_array_length('[1,2]'), json_object_keys('{"a":1}'), schema_of_json('{"a":1}');

-- grouping
SELECT city, count(*), count(age), sum(age) FROM people GROUP BY city ORDER BY city;
SELECT city, age, count(*) FROM people GROUP BY city, age ORDER BY city, age;
SELECT city, active, count(*), grouping_id() FROM people GROUP BY CUBE(city, active) ORDER BY grouping_id(), city, active;
SELECT coalesce(city, 'none') AS c, count(*) AS n FROM people GROUP BY c HAVING n > 1 ORDER BY n DESC, c;
SELECT active, collect_list(age), collect_set(city) FROM people GROUP BY active ORDER BY active;
SELECT city, max_by(name, age), min_by(name, age), first(name, true), any_value(city) FROM people WHERE city IN ('Bern', 'Kyoto') GROUP BY city ORDER BY city;
SELECT percentile(age, 0.5), percentile(age, array(0.25, 0.75)), median(age), mode(age), percentile_approx(age, 0.5), skewness(age), kurtosis(age), covar_samp(age, id % 7), corr(age, id % 7), regr_slope(age, id % 7) FROM people;
SELECT count(*) FILTER (WHERE age > 30), sum(age) FILTER (WHERE city = 'none'), count_if(age > 30), bool_and(age > -10), some(age > 90), every(active) FROM people;
SELECT city FROM people GROUP BY city HAVING count(*) = (SELECT max(c) FROM (SELECT count(*) c FROM people GROUP BY city));
SELECT DISTINCT active FROM people ORDER BY active;
SELECT DISTINCT tags[0] AS t FROM people ORDER BY t;
SELECT count(*) FROM (SELECT DISTINCT city, age FROM people);
SELECT city, count(*) AS n FROM people GROUP BY city ORDER BY n DESC NULLS LAST, city ASC NULLS LAST LIMIT 3;
SELECT sum(DISTINCT age), avg(DISTINCT age) FROM people;
SELECT 1 FROM people GROUP BY ();
SELECT count(*) FROM people HAVING count(*) > 100;

-- joins
SELECT p.id, o.order_id FROM people p JOIN orders o ON p.id = o.person_id WHERE p.id IN (1, 8) ORDER BY p.id, o.order_id;
SELECT p.id, count(o.order_id) FROM people p LEFT JOIN orders o ON p.id = o.person_id GROUP BY p.id ORDER BY p.id;
SELECT p.id, o.person_id, count(*) FROM people p FULL JOIN orders o ON p.id = o.person_id GROUP BY p.id, o.person_id ORDER BY p.id, o.person_id;
SELECT p.id FROM people p LEFT SEMI JOIN orders o ON p.id = o.person_id ORDER BY p.id;
SELECT p.id FROM people p LEFT ANTI JOIN orders o ON p.id = o.person_id ORDER BY p.id;
SELECT p.name, c.country FROM people p LEFT JOIN cities c ON p.city = c.name ORDER BY p.id;
SELECT p.id, c.country FROM people p JOIN cities c ON p.city <=> c.name WHERE c.name IS NULL ORDER BY p.id;
SELECT a.id, b.id FROM people a JOIN people b ON a.age = b.age AND a.id < b.id ORDER BY a.id, b.id;
SELECT p.id, x.n FROM people p, LATERAL (SELECT count(*) AS n FROM orders o WHERE o.person_id = p.id) x ORDER BY p.id;
SELECT p.id, o.order_id FROM people p JOIN orders o ON p.id = o.person_id AND o.amount > 100 ORDER BY 1, 2;
SELECT count(*) FROM people p CROSS JOIN cities c;
SELECT * FROM cities NATURAL JOIN (SELECT 'CH' AS country, 1 AS one);
SELECT country, one FROM cities JOIN (SELECT 'CH' AS country, 1 AS one) USING (country);
SELECT id FROM people WHERE id NOT IN (SELECT person_id FROM orders) ORDER BY id;
SELECT id FROM people WHERE id NOT IN (SELECT person_id FROM orders WHERE person_id IS NOT NULL) ORDER BY id;
SELECT id FROM people p WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.person_id = p.id) ORDER BY id;
SELECT id, (SELECT count(*) FROM orders o WHERE o.person_id = p.id) FROM people p ORDER BY id;
SELECT id FROM people WHERE age >= ALL (SELECT age FROM people WHERE age IS NOT NULL);

-- set operations, order, limits
SELECT age FROM people UNION SELECT 1000 ORDER BY age;
SELECT age FROM people INTERSECT ALL SELECT age FROM people WHERE age = 31;
SELECT age FROM people EXCEPT ALL SELECT 31;
SELECT 1 AS a UNION ALL SELECT '2' UNION ALL SELECT NULL;
SELECT id, age FROM people ORDER BY age DESC, id LIMIT 5;
SELECT id, age FROM people ORDER BY age NULLS LAST, id LIMIT 30 OFFSET 17;
SELECT id FROM people ORDER BY id LIMIT 0;
SELECT id, city FROM people ORDER BY 2 DESC, 1 ASC LIMIT 4;
SELECT name AS n FROM people ORDER BY length(name) DESC, name LIMIT 3;
SELECT id FROM people ORDER BY CASE WHEN city = 'Bern' THEN 0 ELSE 1 END, id LIMIT 6;

-- windows
SELECT id, city, row_number() OVER (PARTITION BY city ORDER BY age, id) AS rn, sum(age) OVER (PARTITION BY city) AS s FROM people ORDER BY city, rn;
SELECT id, age, rank() OVER (ORDER BY age), dense_rank() OVER (ORDER BY age), percent_rank() OVER (ORDER BY age), cume_dist() OVER (ORDER BY age), ntile(3) OVER (ORDER BY age, id) FROM people ORDER BY age, id;
SELECT id, lag(age) OVER (ORDER BY id), lag(age, 2, -1) OVER (ORDER BY id), lead(age) OVER (ORDER BY id), first_value(age) OVER (ORDER BY id), last_value(age) OVER (ORDER BY id), nth_value(age, 2) OVER (ORDER BY id) FROM people ORDER BY id;
SELECT id, sum(age) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING), avg(age) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING), count(*) OVER (), max(age) OVER (ORDER BY age RANGE BETWEEN 5 PRECEDING AND CURRENT ROW) FROM people ORDER BY id;
SELECT * FROM (SELECT id, city, age, rank() OVER (PARTITION BY city ORDER BY age DESC) AS r FROM people) WHERE r = 1 ORDER BY city, id;

-- table functions, hints, names
SELECT * FROM range(3, 10, 3);
SELECT id, stack FROM (SELECT 1 AS id, stack(2, 'a', 'b') AS stack);
SELECT stack(2, 1, 'a', 2, 'b');
SELECT a.*, 1 AS one FROM (SELECT id, name FROM people WHERE id < 3) a ORDER BY id;
SELECT ID, Name FROM PEOPLE WHERE CITY = 'Kyoto' ORDER BY id;
SELECT `id` AS `select`, name AS `from` FROM people WHERE id = 1;
SELECT count(*) AS `count`, 'a' AS date, 1 AS timestamp, 2 AS user FROM people;
SELECT * FROM (VALUES (1, 'a'), (2, NULL)) AS v(x, y) WHERE y IS NULL;
SELECT * FROM people PIVOT (count(id) FOR city IN ('Bern', 'Oslo')) ORDER BY 1 LIMIT 3;
SELECT * FROM (SELECT city, active, id FROM people) PIVOT (count(id) FOR active IN (true AS yes, false AS no)) ORDER BY city;
SELECT * FROM (SELECT 1 AS id, 2 AS a, 3 AS b) UNPIVOT (val FOR col IN (a, b));
WITH RECURSIVE_LIKE AS (SELECT 1 AS x) SELECT x FROM RECURSIVE_LIKE;
WITH a AS (SELECT 1 AS x), b AS (SELECT x + 1 AS x FROM a) SELECT a.x, b.x FROM a, b;
