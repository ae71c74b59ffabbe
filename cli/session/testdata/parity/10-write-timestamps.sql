-- setup PUT /${p}w {"mappings":{"properties":{"id":{"type":"long"},"ts":{"type":"date"},"day":{"type":"date"}}}}
CREATE TABLE w (id BIGINT, ts TIMESTAMP, day DATE) USING es OPTIONS (resource '${p}w', es.mapping.id 'id', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
INSERT INTO w VALUES (1, TIMESTAMP '2024-02-29 12:34:56.789', DATE '2024-02-29'), (2, NULL, NULL);
CREATE TABLE read USING es OPTIONS (resource '${p}w', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
SELECT * FROM read ORDER BY id;
