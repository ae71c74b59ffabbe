-- setup PUT /${p}a {"mappings":{"properties":{"id":{"type":"long"},"tags":{"type":"keyword"}}}}
-- setup PUT /${p}a/_doc/1 {"id":1,"tags":["x","y"]}
CREATE TABLE a (id BIGINT, tags ARRAY<STRING>) USING es OPTIONS (resource '${p}a', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
SELECT * FROM a;
