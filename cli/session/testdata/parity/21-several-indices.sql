-- setup PUT /${p}l-1 {"mappings":{"properties":{"id":{"type":"long"},"v":{"type":"integer"}}}}
-- setup PUT /${p}l-2 {"mappings":{"properties":{"id":{"type":"long"},"v":{"type":"long"},"w":{"type":"keyword"}}}}
-- setup PUT /${p}l-1/_doc/1 {"id":1,"v":1}
-- setup PUT /${p}l-2/_doc/2 {"id":2,"v":3000000000,"w":"x"}
-- setup POST /_aliases {"actions":[{"add":{"index":"${p}l-1","alias":"${p}both"}},{"add":{"index":"${p}l-2","alias":"${p}both"}}]}
CREATE TABLE l USING es OPTIONS (resource '${p}l-*', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
DESCRIBE l;
SELECT * FROM l ORDER BY id;
CREATE TABLE b USING es OPTIONS (resource '${p}both', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
SELECT id, v FROM b ORDER BY id;
