-- setup PUT /${p}m/_doc/k1 {"id":1}
CREATE TABLE m USING es OPTIONS (resource '${p}m', es.read.metadata 'true', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
SELECT id, _metadata['_id'] AS i FROM m;
