-- setup PUT /${p}v {"mappings":{"properties":{"id":{"type":"long"},"rev":{"type":"long"},"t":{"type":"keyword"}}}}
CREATE TABLE v (id BIGINT, rev BIGINT, t STRING) USING es OPTIONS (resource '${p}v', es.mapping.id 'id', es.mapping.version 'rev', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
INSERT INTO v VALUES (1, 5, 'five');
INSERT INTO v VALUES (1, 7, 'seven');
INSERT INTO v VALUES (1, 6, 'stale');
