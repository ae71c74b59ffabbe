-- setup PUT /${p}d {"mappings":{"properties":{"id":{"type":"long"},"d":{"type":"date"},"e":{"type":"date","format":"epoch_millis"},"c":{"type":"date","format":"yyyy/MM/dd HH:mm:ss"}}}}
-- setup PUT /${p}d/_doc/1 {"id":1,"d":"2024-02-29","e":1709210096789,"c":"2024/02/29 12:34:56"}
-- setup PUT /${p}d/_doc/2 {"id":2,"d":"2024-02-29T12:34:56.789Z","e":0,"c":"1969/12/31 23:59:59"}
-- setup PUT /${p}d/_doc/3 {"id":3,"d":"2024-03-01T01:00:00+02:00"}
-- setup PUT /${p}d/_doc/4 {"id":4,"d":1709210096789}
CREATE TABLE d USING es OPTIONS (resource '${p}d', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
SELECT id, d FROM d ORDER BY id;
SELECT id, e FROM d WHERE e IS NOT NULL ORDER BY id;
SELECT id, c FROM d ORDER BY id;
SELECT id FROM d WHERE d >= TIMESTAMP '2024-02-29 12:00:00' ORDER BY id;
SELECT id, date_format(d, 'yyyy-MM') AS month FROM d ORDER BY id;
