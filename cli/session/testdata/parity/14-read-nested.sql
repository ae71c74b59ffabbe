-- setup PUT /${p}n {"mappings":{"properties":{"id":{"type":"long"},"pos":{"properties":{"lat":{"type":"double"},"lon":{"type":"double"}}},"list":{"type":"nested","properties":{"k":{"type":"keyword"},"v":{"type":"integer"}}}}}}
-- setup PUT /${p}n/_doc/1 {"id":1,"pos":{"lat":1.5,"lon":2},"list":[{"k":"x","v":1},{"k":"y","v":2}]}
-- setup PUT /${p}n/_doc/2 {"id":2}
CREATE TABLE n USING es OPTIONS (resource '${p}n', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
DESCRIBE n;
SELECT id, pos.lat, pos.lon FROM n ORDER BY id;
SELECT id, l.k, l.v FROM n LATERAL VIEW explode(list) t AS l ORDER BY id, l.k;
