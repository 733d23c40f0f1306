-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
CREATE TABLE t(id INTEGER PRIMARY KEY, k INTEGER, name TEXT, x REAL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150000)
INSERT INTO t SELECT i, (i * 7919) % 10007, 'name ' || (i % 997), i / 7.0 FROM n;
CREATE INDEX t_k ON t(k);
SELECT count(*), sum(k), round(avg(x), 3) FROM t;
SELECT name, count(*) AS c, max(k) FROM t GROUP BY name ORDER BY c DESC, name LIMIT 5;
SELECT count(*) FROM t AS a JOIN t AS b ON a.k = b.id WHERE b.x > 100;
SELECT k, count(*) FROM t WHERE k BETWEEN 100 AND 110 GROUP BY k;
UPDATE t SET x = x * 2 WHERE k % 3 = 0;
DELETE FROM t WHERE name LIKE '%7';
SELECT count(*), round(sum(x), 1) FROM t;
SELECT name, rank FROM (SELECT name, rank() OVER (PARTITION BY name ORDER BY x) AS rank FROM t) WHERE rank = 3 ORDER BY name LIMIT 3;
