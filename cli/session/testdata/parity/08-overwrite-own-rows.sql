CREATE TABLE s (id BIGINT, n BIGINT) USING es OPTIONS (resource '${p}s', es.mapping.id 'id', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
INSERT INTO s VALUES (1, 10), (2, 20);
CREATE TABLE same (id BIGINT, n BIGINT) USING es OPTIONS (resource '/${p}s', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
INSERT OVERWRITE s SELECT id, n + 1 FROM same;
