-- ids are made
CREATE TABLE words (w STRING, n BIGINT) USING es OPTIONS (resource '${p}words', es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true');
INSERT INTO words VALUES ('a', 1), ('b', 2);
INSERT INTO words VALUES ('a', 1), ('b', 2);
SELECT w, n FROM words;
SELECT w, count(*) AS n FROM words GROUP BY w ORDER BY w;
