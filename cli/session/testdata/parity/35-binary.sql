CREATE TABLE b (id BIGINT, x BINARY) USING es OPTIONS (resource '${p}b', es.mapping.id 'id', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
INSERT INTO b VALUES (1, X'00ff10'), (2, NULL);
