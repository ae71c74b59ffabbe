CREATE TABLE t (id BIGINT) USING es OPTIONS (resource '${p}t', es.mapping.id 'id', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
INSERT INTO t VALUES (1), (2);
DROP TABLE t;
CREATE TABLE u (id BIGINT) USING es OPTIONS (resource '${p}t', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
SELECT count(*) AS n FROM u;
TRUNCATE TABLE u;
SELECT count(*) AS n FROM u;
