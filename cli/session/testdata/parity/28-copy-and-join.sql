-- setup PUT /${p}src {"mappings":{"properties":{"id":{"type":"long"},"city":{"type":"keyword"},"n":{"type":"long"}}}}
-- setup PUT /${p}src/_doc/1 {"id":1,"city":"Oslo","n":10}
-- setup PUT /${p}src/_doc/2 {"id":2,"city":"Rome","n":20}
-- setup PUT /${p}src/_doc/3 {"id":3,"city":"Oslo","n":30}
CREATE TABLE src USING es OPTIONS (resource '${p}src', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
CREATE TABLE dst (id BIGINT, city STRING, n BIGINT) USING es OPTIONS (resource '${p}dst', es.mapping.id 'id', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
INSERT INTO dst SELECT id, city, n FROM src WHERE n >= 20;
SELECT a.id, b.n FROM src a LEFT JOIN dst b ON a.id = b.id ORDER BY a.id;
CREATE TEMPORARY VIEW sums AS SELECT city, sum(n) AS n, count(*) AS c FROM src GROUP BY city;
SELECT * FROM sums ORDER BY city;
INSERT INTO dst SELECT 100 + row_number() OVER (ORDER BY city), city, n FROM sums;
