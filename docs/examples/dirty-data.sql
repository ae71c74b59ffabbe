-- A load breaks off half way and is run again. What is in the index then?
--
--   eslake -f docs/examples/dirty-data.sql                                  the embedded lake, no server
--   eslake -f docs/examples/dirty-data.sql --url http://localhost:9200     a cluster
--
-- The six orders that are to be loaded:
CREATE OR REPLACE TEMPORARY VIEW orders AS
SELECT * FROM VALUES
  (1, 'ana',  10.0), (2, 'bela', 20.0), (3, 'caro', 30.0),
  (4, 'dora', 40.0), (5, 'eva',  50.0), (6, 'fay',  60.0) AS t(order_id, customer, amount);

-- Three tables over three new indices; DROP … PURGE takes away what an earlier run left.
CREATE OR REPLACE TABLE plain_orders (order_id INT, customer STRING, amount DOUBLE)
USING es OPTIONS (resource 'dirty-plain');
DROP TABLE plain_orders PURGE;
CREATE TABLE plain_orders (order_id INT, customer STRING, amount DOUBLE)
USING es OPTIONS (resource 'dirty-plain');

CREATE OR REPLACE TABLE overwritten_orders (order_id INT, customer STRING, amount DOUBLE)
USING es OPTIONS (resource 'dirty-overwritten');
DROP TABLE overwritten_orders PURGE;
CREATE TABLE overwritten_orders (order_id INT, customer STRING, amount DOUBLE)
USING es OPTIONS (resource 'dirty-overwritten');

CREATE OR REPLACE TABLE keyed_orders (order_id INT, customer STRING, amount DOUBLE)
USING es OPTIONS (resource 'dirty-keyed', es.mapping.id 'order_id');
DROP TABLE keyed_orders PURGE;
CREATE TABLE keyed_orders (order_id INT, customer STRING, amount DOUBLE)
USING es OPTIONS (resource 'dirty-keyed', es.mapping.id 'order_id');

-- 1. Plain append. The first run gets as far as order 3 and dies; the second runs to the end.
INSERT INTO plain_orders SELECT * FROM orders WHERE order_id <= 3;
INSERT INTO plain_orders SELECT * FROM orders;

-- Nine rows, three orders twice, and a sum that nobody should send out: dirty data.
SELECT 'plain append' AS load, count(*) AS rows, count(DISTINCT order_id) AS orders, sum(amount) AS amount
FROM plain_orders;
SELECT order_id, count(*) AS times FROM plain_orders GROUP BY order_id HAVING count(*) > 1 ORDER BY order_id;

-- 2. INSERT OVERWRITE: whatever the first run left, the second puts the whole result in its place.
INSERT INTO overwritten_orders SELECT * FROM orders WHERE order_id <= 3;
INSERT OVERWRITE TABLE overwritten_orders SELECT * FROM orders;

SELECT 'overwrite' AS load, count(*) AS rows, count(DISTINCT order_id) AS orders, sum(amount) AS amount
FROM overwritten_orders;

-- 3. es.mapping.id: the same order always is the same document, so a second run changes nothing that is right.
INSERT INTO keyed_orders SELECT * FROM orders WHERE order_id <= 3;
INSERT INTO keyed_orders SELECT * FROM orders;

SELECT 'document ids' AS load, count(*) AS rows, count(DISTINCT order_id) AS orders, sum(amount) AS amount
FROM keyed_orders;
SELECT _id, customer, amount FROM keyed_orders ORDER BY order_id;
