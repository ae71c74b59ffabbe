-- setup PUT /${p}k {"settings":{"number_of_shards":2},"mappings":{"dynamic":"strict","properties":{"id":{"type":"long"},"t":{"type":"text"}}}}
-- setup PUT /${p}k/_doc/9 {"id":9,"t":"gone"}
CREATE TABLE k (id BIGINT, t STRING) USING es OPTIONS (resource '${p}k', es.mapping.id 'id', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
INSERT OVERWRITE k SELECT 1L, 'kept words';
SELECT id, t FROM k;
