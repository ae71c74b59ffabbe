-- setup PUT /${p}u {"mappings":{"properties":{"id":{"type":"long"},"s":{"type":"keyword"},"n":{"type":"long"}}}}
-- setup PUT /${p}u/_doc/1 {"id":1,"s":"","n":0}
-- setup PUT /${p}u/_doc/2 {"id":2,"s":null,"n":null}
-- setup PUT /${p}u/_doc/3 {"id":3}
-- setup PUT /${p}u/_doc/4 {"id":4,"s":"x","n":4}
CREATE TABLE u USING es OPTIONS (resource '${p}u', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
SELECT * FROM u ORDER BY id;
SELECT id FROM u WHERE s IS NULL ORDER BY id;
SELECT id FROM u WHERE n IS NOT NULL ORDER BY id;
SELECT id, coalesce(n, -1) AS n FROM u ORDER BY id;
SELECT id FROM u WHERE n <> 4 ORDER BY id;
