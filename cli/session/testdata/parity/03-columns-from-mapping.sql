-- setup PUT /${p}m {"mappings":{"properties":{"z":{"type":"long"},"a":{"type":"keyword"},"m":{"type":"double"},"flag":{"type":"boolean"},"s":{"type":"short"},"b":{"type":"byte"},"i":{"type":"integer"},"f":{"type":"float"}}}}
-- setup PUT /${p}m/_doc/1 {"z":9007199254740993,"a":"x","m":1.5,"flag":true,"s":7,"b":-1,"i":2147483647,"f":0.25}
-- setup PUT /${p}m/_doc/2 {"a":"y"}
CREATE TABLE m USING es OPTIONS (resource '${p}m', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
DESCRIBE m;
SELECT * FROM m ORDER BY a;
SELECT z, a FROM m WHERE z = 9007199254740993;
SELECT count(*), count(z), sum(i), min(b) FROM m;
