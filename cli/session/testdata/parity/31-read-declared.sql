-- setup PUT /${p}x {"mappings":{"properties":{"id":{"type":"long"},"n":{"type":"long"},"p":{"type":"float"}}}}
-- setup PUT /${p}x/_doc/1 {"id":1,"n":5,"p":12.34}
CREATE TABLE x (id BIGINT, n INT) USING es OPTIONS (resource '${p}x', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
SELECT * FROM x;
CREATE TABLE y (id BIGINT, absent STRING) USING es OPTIONS (resource '${p}x', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
SELECT * FROM y;
CREATE TABLE z USING es OPTIONS (resource '${p}x', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
SELECT id, p FROM z;
