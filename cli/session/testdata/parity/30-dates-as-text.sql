-- setup PUT /${p}d {"mappings":{"properties":{"id":{"type":"long"},"d":{"type":"date"}}}}
-- setup PUT /${p}d/_doc/1 {"id":1,"d":"2024-02-29T12:34:56.789Z"}
CREATE TABLE d USING es OPTIONS (resource '${p}d', es.mapping.date.rich 'false', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
DESCRIBE d;
SELECT * FROM d;
