-- setup PUT /${p}t {"mappings":{"properties":{"id":{"type":"long"},"name":{"type":"keyword"},"body":{"type":"text","fields":{"keyword":{"type":"keyword","ignore_above":256}}}}}}
-- setup PUT /${p}t/_doc/1 {"id":1,"name":"Ann","body":"Quick Brown Fox"}
-- setup PUT /${p}t/_doc/2 {"id":2,"name":"Bob","body":"quick"}
-- setup PUT /${p}t/_doc/3 {"id":3,"name":"ann","body":"brown"}
CREATE TABLE t USING es OPTIONS (resource '${p}t', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
SELECT id FROM t WHERE name = 'Ann';
SELECT id FROM t WHERE name IN ('Ann', 'Bob') ORDER BY id;
SELECT id FROM t WHERE name LIKE 'A%';
SELECT id FROM t WHERE body = 'quick';
SELECT id FROM t WHERE body LIKE '%Brown%';
SELECT id FROM t WHERE NOT (name = 'Ann') ORDER BY id;
SELECT id FROM t WHERE name > 'B' ORDER BY id;
