-- setup PUT /${p}a {"mappings":{"properties":{"id":{"type":"long"},"tags":{"type":"keyword"},"nums":{"type":"long"}}}}
-- setup PUT /${p}a/_doc/1 {"id":1,"tags":["x","y"],"nums":[3,1,2]}
-- setup PUT /${p}a/_doc/2 {"id":2,"tags":["z"],"nums":[]}
-- setup PUT /${p}a/_doc/3 {"id":3,"tags":"single","nums":7}
-- setup PUT /${p}a/_doc/4 {"id":4}
CREATE TABLE a USING es OPTIONS (resource '${p}a', es.read.field.as.array.include 'tags,nums', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
DESCRIBE a;
SELECT * FROM a ORDER BY id;
SELECT id, size(tags) AS n, nums[0] AS first FROM a WHERE id < 3 ORDER BY id;
SELECT id, tag FROM a LATERAL VIEW explode(tags) t AS tag ORDER BY id, tag;
