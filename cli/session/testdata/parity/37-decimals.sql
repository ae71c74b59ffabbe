CREATE TABLE n (id BIGINT, m DECIMAL(20,4)) USING es OPTIONS (resource '${p}n', es.mapping.id 'id', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
INSERT INTO n VALUES (1, 1234567890123456.7891), (2, -0.0001), (3, NULL);
