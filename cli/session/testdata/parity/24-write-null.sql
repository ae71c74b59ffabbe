CREATE TABLE w (id BIGINT, a STRING, b BIGINT) USING es OPTIONS (resource '${p}w', es.mapping.id 'id', es.spark.dataframe.write.null 'true', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
INSERT INTO w VALUES (1, NULL, 2), (2, '', NULL);
CREATE TABLE v (id BIGINT, a STRING, b BIGINT) USING es OPTIONS (resource '${p}v', es.mapping.id 'id', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
INSERT INTO v VALUES (1, NULL, 2), (2, '', NULL);
