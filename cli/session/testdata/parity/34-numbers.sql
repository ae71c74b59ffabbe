CREATE TABLE n (id BIGINT, d DOUBLE, f FLOAT, s SMALLINT, b TINYINT, x BOOLEAN) USING es OPTIONS (resource '${p}n', es.mapping.id 'id', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
INSERT INTO n VALUES (9223372036854775807, 1e300D, CAST(0.1 AS FLOAT), 32767, -128, true);
INSERT INTO n VALUES (-9223372036854775808, -0.5D, CAST(16777216 AS FLOAT), -32768, 127, false);
