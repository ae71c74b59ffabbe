CREATE TABLE o (id BIGINT, name STRING) USING es OPTIONS (resource '${p}o', es.mapping.id 'id', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
INSERT INTO o VALUES (1, 'old'), (2, 'old'), (3, 'old');
INSERT OVERWRITE o VALUES (2, 'new'), (4, 'new');
