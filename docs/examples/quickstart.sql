-- A first look at eslake.
--
--   eslake -f docs/examples/quickstart.sql                                   the embedded lake, no server
--   eslake -f docs/examples/quickstart.sql --url http://localhost:9200      a cluster
--
-- It may be run as often as you like: each run replaces what the last one wrote.

-- A table is a name for an index. es.mapping.id makes clicks' own key the id of its documents.
CREATE OR REPLACE TABLE clicks (
  click_id BIGINT,
  user_id  STRING,
  url      STRING,
  at       TIMESTAMP,
  price    DOUBLE
) USING es OPTIONS (
  resource 'quickstart-clicks',
  es.mapping.id 'click_id'
);

-- INSERT OVERWRITE puts these rows in the place of all that were there.
INSERT OVERWRITE TABLE clicks VALUES
  (1, 'ana',  '/home',   TIMESTAMP '2024-05-01 10:00:00', NULL),
  (2, 'ana',  '/pay',    TIMESTAMP '2024-05-01 10:02:11', 12.5),
  (3, 'bela', '/home',   TIMESTAMP '2024-05-01 11:30:00', NULL),
  (4, 'bela', '/search', TIMESTAMP '2024-05-01 11:31:40', NULL),
  (5, 'caro', '/pay',    TIMESTAMP '2024-05-02 09:00:00', 80.0);

SELECT * FROM clicks ORDER BY click_id;

-- Spark's SQL, over the index.
SELECT user_id, count(*) AS clicks, sum(price) AS paid
FROM clicks
GROUP BY user_id
ORDER BY user_id;

-- The same key again: document 4 is replaced, document 6 is new.
INSERT INTO clicks VALUES
  (4, 'bela', '/pay',  TIMESTAMP '2024-05-01 11:32:05', 7.25),
  (6, 'dora', '/home', TIMESTAMP '2024-05-02 12:00:00', NULL);

SELECT click_id, user_id, url, price FROM clicks WHERE url = '/pay' ORDER BY click_id;

-- A view is a name for a query.
CREATE OR REPLACE VIEW payers AS
SELECT DISTINCT user_id FROM clicks WHERE price IS NOT NULL;

SELECT count(*) AS payers FROM payers;
