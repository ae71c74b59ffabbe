CREATE TABLE c (id BIGINT, name STRING, city STRING) USING es OPTIONS (resource '${p}c', es.mapping.id 'id', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
INSERT INTO c (name, id) VALUES ('Ann', 1);
INSERT INTO c (city, name, id) VALUES ('Oslo', 'Bob', 2);
INSERT INTO c BY NAME SELECT 'Rome' AS city, 3L AS id, 'Cid' AS name;
