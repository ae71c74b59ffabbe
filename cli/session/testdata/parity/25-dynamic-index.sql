CREATE TABLE y (id BIGINT, kind STRING) USING es OPTIONS (resource '${p}y-{kind}', es.mapping.id 'id', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
INSERT INTO y VALUES (1, 'a'), (2, 'b'), (3, 'a');
CREATE TABLE all (id BIGINT, kind STRING) USING es OPTIONS (resource '${p}y-*', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
SELECT id, kind FROM all ORDER BY id;
