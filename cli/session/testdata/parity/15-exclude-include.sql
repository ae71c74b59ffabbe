CREATE TABLE x (id BIGINT, keep STRING, drop STRING) USING es OPTIONS (resource '${p}x', es.mapping.id 'id', es.mapping.exclude 'id,drop', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
INSERT INTO x VALUES (1, 'stays', 'goes');
CREATE TABLE y (id BIGINT, keep STRING, drop STRING) USING es OPTIONS (resource '${p}y', es.mapping.id 'id', es.mapping.include 'keep', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
INSERT INTO y VALUES (1, 'stays', 'goes');
