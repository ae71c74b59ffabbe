CREATE TABLE m USING es OPTIONS (resource '${p}none', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
CREATE TABLE d (id BIGINT) USING es OPTIONS (resource '${p}none', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
SELECT * FROM d;
CREATE TABLE e (id BIGINT) USING es OPTIONS (resource '${p}none', es.index.read.missing.as.empty 'true', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
SELECT * FROM e;
CREATE TABLE n (id BIGINT) USING es OPTIONS (resource '${p}none', es.index.auto.create 'false', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
INSERT INTO n VALUES (1);
