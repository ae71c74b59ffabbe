CREATE TABLE people (id BIGINT, name STRING, age INT) USING es OPTIONS (resource '${p}people', es.mapping.id 'id', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
INSERT INTO people VALUES (1, 'Ann', 31), (2, 'Bob', 45), (3, 'Ćelo', NULL);
INSERT INTO people VALUES (1, 'Ann', 31), (2, 'Bob', 45), (3, 'Ćelo', NULL);
INSERT INTO people VALUES (2, 'Bob', 46);
