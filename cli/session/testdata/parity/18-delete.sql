-- setup PUT /${p}e/_doc/1 {"id":1}
-- setup PUT /${p}e/_doc/2 {"id":2}
-- setup PUT /${p}e/_doc/3 {"id":3}
CREATE TABLE e (id BIGINT) USING es OPTIONS (resource '${p}e', es.mapping.id 'id', es.write.operation 'delete', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
INSERT INTO e VALUES (1), (3);
