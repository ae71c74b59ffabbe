-- setup PUT /${p}u/_doc/1 {"id":1,"name":"old","city":"Oslo"}
CREATE TABLE u (id BIGINT, name STRING) USING es OPTIONS (resource '${p}u', es.mapping.id 'id', es.write.operation 'upsert', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
INSERT INTO u VALUES (1, 'new'), (2, 'made');
INSERT INTO u VALUES (1, NULL);
