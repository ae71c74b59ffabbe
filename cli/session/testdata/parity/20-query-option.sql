-- setup PUT /${p}q {"mappings":{"properties":{"id":{"type":"long"},"k":{"type":"keyword"}}}}
-- setup PUT /${p}q/_doc/1 {"id":1,"k":"a"}
-- setup PUT /${p}q/_doc/2 {"id":2,"k":"b"}
-- setup PUT /${p}q/_doc/3 {"id":3,"k":"a"}
CREATE TABLE q USING es OPTIONS (resource '${p}q', es.query '?q=k:a', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
SELECT * FROM q ORDER BY id;
SELECT count(*) AS n FROM q;
CREATE TABLE j USING es OPTIONS (resource '${p}q', es.query '{"query":{"term":{"k":"b"}}}', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
SELECT * FROM j WHERE id > 0;
