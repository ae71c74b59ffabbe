-- setup PUT /${p}r {"settings":{"number_of_shards":3},"mappings":{"properties":{"id":{"type":"long"},"g":{"type":"keyword"}}}}
CREATE TABLE r (id BIGINT, g STRING) USING es OPTIONS (resource '${p}r', es.mapping.id 'id', es.mapping.routing 'g', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
INSERT INTO r VALUES (1, 'x'), (2, 'y'), (3, 'x');
SELECT id, g FROM r ORDER BY id;
