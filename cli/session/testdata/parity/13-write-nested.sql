CREATE TABLE n (id BIGINT, tags ARRAY<STRING>, pos STRUCT<lat: DOUBLE, lon: DOUBLE>, list ARRAY<STRUCT<k: STRING, v: INT>>, props MAP<STRING, STRING>) USING es OPTIONS (resource '${p}n', es.mapping.id 'id', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
INSERT INTO n SELECT 1L, array('a', 'b'), named_struct('lat', 1.5D, 'lon', -2.25D), array(named_struct('k', 'x', 'v', 1), named_struct('k', 'y', 'v', 2)), map('p', 'q');
INSERT INTO n SELECT 2L, array(), NULL, NULL, NULL;
INSERT INTO n SELECT 3L, array('a', NULL), named_struct('lat', CAST(NULL AS DOUBLE), 'lon', 0D), array(), map('p', CAST(NULL AS STRING));
