-- setup PUT /${p}r/_doc/1 {"id":1,"name":"first"}
CREATE TABLE r (id BIGINT, name STRING) USING es OPTIONS (resource '${p}r', es.mapping.id 'id', es.write.operation 'create', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
INSERT INTO r VALUES (2, 'two');
INSERT INTO r VALUES (1, 'again');
