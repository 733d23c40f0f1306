-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
PRAGMA journal_mode = WAL;
CREATE TABLE path(id INTEGER PRIMARY KEY, function TEXT, length INT, count INT);
CREATE INDEX by_function ON path(function, count DESC);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
	INSERT INTO path SELECT i, 'f' || (i * 7919 % 97), i % 13 + 1, (i * 104729) % 10007 FROM n;
SELECT function, sum(count) AS total, avg(length) FROM path GROUP BY function ORDER BY total DESC LIMIT 10;
SELECT a.function, count(*) FROM path a JOIN path b ON a.function = b.function AND a.id < b.id WHERE a.length = b.length GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 5;
SELECT id, count, rank() OVER (PARTITION BY length ORDER BY count DESC) AS r FROM path WHERE function LIKE 'f1%' ORDER BY r, id LIMIT 7;
BEGIN; UPDATE path SET count = count + 1 WHERE length BETWEEN 3 AND 9; DELETE FROM path WHERE id % 17 = 0; ROLLBACK;
BEGIN; UPDATE path SET count = -count WHERE function GLOB 'f[2-4]*'; COMMIT;
SELECT json_group_array(json_object('f', function, 'n', n)) FROM (SELECT function, count(*) n FROM path WHERE count < 0 GROUP BY function ORDER BY function LIMIT 4);
SELECT hex(substr(quote(function), 2, 3)), printf('%08.3f', count / 7.0), upper(function) FROM path ORDER BY abs(count) DESC, id LIMIT 5;
PRAGMA integrity_check;
VACUUM;
SELECT count(*), sum(count), min(count), max(count) FROM path;
