CREATE TABLE v (id BIGINT, n INT) USING es OPTIONS (resource '${p}v', es.mapping.id 'id', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
INSERT INTO v VALUES (1, 'notanint');
INSERT INTO v VALUES (1);
INSERT INTO v VALUES (1, 2, 3);
INSERT INTO v VALUES (1, 5);
