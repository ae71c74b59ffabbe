CREATE TABLE j (doc STRING) USING es OPTIONS (resource '${p}j', es.input.json 'true', es.mapping.id 'k', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
INSERT INTO j VALUES ('{"k":"a","v":1}'), ('{"k":"b","v":[1,2]}');
