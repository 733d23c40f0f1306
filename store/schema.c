/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "store/schema.h"
#include "support/string_builder.h"
#include "support/xalloc.h"

#include <stdlib.h>
#include <string.h>

/* A *bundle* is what was pushed at once: one raw profile, an indexed profile, or the sum of earlier bundles.  It counts when its
 * row is there, which is written in the transaction that completes it. */
const char wm_schema_tables[] =
	"CREATE TABLE meta (key text PRIMARY KEY, value text NOT NULL);"
	"CREATE TABLE label_set (id " WM_SQL_ID ", labels text NOT NULL UNIQUE);"
	"CREATE TABLE label (label_set bigint NOT NULL, key text NOT NULL, value text NOT NULL,"
	" PRIMARY KEY (label_set, key));"
	"CREATE INDEX label_value ON label (key, value);"
	"CREATE TABLE build (id " WM_SQL_ID
	", build_id text NOT NULL, program text NOT NULL," /* program: if build_id is '' or claimed */
	" UNIQUE (build_id, program));"
	"CREATE TABLE function (id " WM_SQL_ID ", build bigint NOT NULL, key bigint NOT NULL, graph bigint NOT NULL,"
	" source bigint NOT NULL, flags bigint NOT NULL, apart bigint NOT NULL,"
	" UNIQUE (build, key, graph, source, flags, apart));"
	"CREATE TABLE bundle (id " WM_SQL_ID
	", label_set bigint NOT NULL, runs bigint NOT NULL, unsafe bigint NOT NULL,"
	" any_program bigint NOT NULL, first bigint NOT NULL, last bigint NOT NULL, stored bigint NOT NULL,"
	" sums bigint NOT NULL, writer text NOT NULL);"
	"CREATE INDEX bundle_labels ON bundle (label_set, last);"
	"CREATE INDEX bundle_last ON bundle (last);"
	"CREATE TABLE content (bundle bigint NOT NULL, build bigint NOT NULL, program text NOT NULL, runs "
	"bigint," /* NULL: not known */
	" PRIMARY KEY (bundle, build));"
	"CREATE INDEX content_program ON content (program, build);"
	"CREATE INDEX content_build ON content (build);"
	"CREATE TABLE machine (bundle bigint NOT NULL, machine text NOT NULL, PRIMARY KEY (bundle, machine));"
	"CREATE INDEX machine_name ON machine (machine);"
	"CREATE TABLE doubtful (bundle bigint NOT NULL, build bigint NOT NULL, start bigint NOT NULL, pid "
	"bigint NOT NULL,"
	" doubt bigint NOT NULL);"
	"CREATE INDEX doubtful_bundle ON doubtful (bundle);"
	"CREATE TABLE run (high bigint NOT NULL, low bigint NOT NULL, epoch bigint NOT NULL, part bigint NOT "
	"NULL,"
	" start bigint NOT NULL, bundle bigint NOT NULL, digest bigint, PRIMARY KEY (high, low, epoch, part));"
	"CREATE INDEX run_bundle ON run (bundle);"
	/* Paths that people have looked at: profile/profile_triage.h. */
	"CREATE TABLE triage (id bigint NOT NULL, build_id text NOT NULL, program text NOT NULL, key bigint NOT NULL,"
	" graph bigint NOT NULL, source bigint NOT NULL, flags bigint NOT NULL, path bigint NOT NULL, time bigint NOT "
	"NULL,"
	" function text NOT NULL, note text NOT NULL, author text NOT NULL,"
	" PRIMARY KEY (id, build_id, program, key, flags));"
	/* Roll-ups that have begun: the rows of `old` are being moved to the sum `new`. */
	"CREATE TABLE roll_up (old bigint PRIMARY KEY, new bigint NOT NULL);"
	"CREATE INDEX roll_up_new ON roll_up (new);";

const char wm_schema_divided[] =
	"CREATE TABLE tally (function bigint NOT NULL, bundle bigint NOT NULL, doubt bigint, entries bigint, "
	"resumed bigint,"
	" base_entries bigint, base_resumed bigint, lost bigint, PRIMARY KEY (function, "
	"bundle)) " WM_SQL_SHARDED ";"
	/* runs, most: of a sum, in how many runs at least and at most the path was taken (store/runs.h). */
	"CREATE TABLE path (function bigint NOT NULL, bundle bigint NOT NULL, path bigint NOT NULL, count "
	"bigint, base bigint,"
	" first_seen bigint, pid bigint, runs bigint, most bigint, PRIMARY KEY (function, bundle, "
	"path)) " WM_SQL_SHARDED ";"
	/* On which machines the paths of a sum were taken; a bundle that is no sum has one machine at most. */
	"CREATE TABLE seen (function bigint NOT NULL, bundle bigint NOT NULL, path bigint NOT NULL, machine "
	"text NOT NULL,"
	" PRIMARY KEY (function, bundle, path, machine)) " WM_SQL_SHARDED ";";

/* The reference keeps a waymark of an earlier version from removing a bundle whose unfinished paths it does not know.  SQLite does not
 * enforce it, and needs not: an earlier version does not open a file with this table. */
const char wm_schema_unfinished[] =
	"CREATE TABLE unfinished (bundle bigint NOT NULL REFERENCES bundle (id), function bigint NOT NULL,"
	" site bigint NOT NULL, sum bigint NOT NULL, count bigint NOT NULL, PRIMARY KEY (bundle, function, site, "
	"sum));";

/* earlier: the checksum by which versions without unfinished paths knew the run. */
const char wm_schema_stage[] = WM_SQL_STAGE
	"stage_bundle (id bigint, labels text, runs bigint, unsafe bigint, any_program bigint, first bigint,"
	" last bigint, machine text) " WM_SQL_STAGED ";" WM_SQL_STAGE
	"stage_label (key text PRIMARY KEY, value text) " WM_SQL_STAGED ";" WM_SQL_STAGE
	"stage_run (high bigint, low bigint, epoch bigint, part bigint, start bigint, digest bigint, earlier "
	"bigint,"
	" PRIMARY KEY (high, low, epoch, part)) " WM_SQL_STAGED ";" WM_SQL_STAGE
	"stage_object (object bigint PRIMARY KEY, id bigint, build_id text, program text, runs bigint, claim "
	"text) " WM_SQL_STAGED ";" WM_SQL_STAGE
	"stage_doubtful (object bigint, start bigint, pid bigint, doubt bigint) " WM_SQL_STAGED ";" WM_SQL_STAGE
	"stage_function (function bigint PRIMARY KEY, id bigint, object bigint, key bigint, graph bigint,"
	" source bigint, flags bigint, apart bigint, doubt bigint, entries bigint, resumed bigint, base_entries bigint,"
	" base_resumed bigint, lost bigint) " WM_SQL_STAGED ";" WM_SQL_STAGE
	"stage_path (function bigint, path bigint, count bigint, base bigint, first_seen bigint, pid "
	"bigint) " WM_SQL_STAGED ";" WM_SQL_STAGE
	"stage_unfinished (function bigint, site bigint, sum bigint, count bigint) " WM_SQL_STAGED ";";

const char wm_schema_compare[] =
	"SELECT CASE WHEN coalesce(max(CASE WHEN s.part <> r.part THEN 1 ELSE 0 END), 0) > 0 THEN 3"
	" WHEN count(*) = 0 THEN 0 WHEN count(*) < (SELECT count(*) FROM stage_run) THEN 2"
	" WHEN max(CASE WHEN s.digest <> r.digest AND coalesce(s.earlier <> r.digest, true) THEN 1 ELSE 0 END) > 0 "
	"THEN 4"
	" WHEN count(s.digest = r.digest) < count(*) THEN 5 ELSE 1 END"
	" FROM stage_run s JOIN run r ON r.high = s.high AND r.low = s.low AND r.epoch = s.epoch"
	" AND (r.part = s.part OR r.part = 0 OR s.part = 0)";
_Static_assert(WM_STAGED_NEW == 0 && WM_STAGED_STORED == 1 && WM_STAGED_SHARED == 2 && WM_STAGED_PARTS == 3 &&
		       WM_STAGED_OTHER == 4 && WM_STAGED_UNSURE == 5,
	"as above");

/* One transaction.  Rows that others may insert at the same time are inserted in one order, so that two pushes cannot wait for each
 * other. */
/* clang-format off */
const char wm_schema_take[] =
	"INSERT INTO label_set (labels" WM_SQL_LABELS_COLUMN ") SELECT labels" WM_SQL_LABELS_OWNER " FROM stage_bundle"
	" WHERE true ON CONFLICT DO NOTHING;"
	"INSERT INTO label (label_set, key, value) SELECT s.id, l.key, l.value FROM stage_label l, stage_bundle b, "
	"label_set s"
	" WHERE s.labels = b.labels" WM_SQL_LABELS_OWNED " ON CONFLICT DO NOTHING;"
	"INSERT INTO build (build_id, program) SELECT o.build_id, " WM_SQL_BUILD_PROGRAM("o")
	" FROM stage_object o WHERE true ORDER BY 1, 2 ON CONFLICT DO NOTHING;"
	"UPDATE stage_object SET id = (SELECT b.id FROM build b WHERE b.build_id = stage_object.build_id"
	" AND b.program = " WM_SQL_BUILD_PROGRAM("stage_object") ");"
	"INSERT INTO function (build, key, graph, source, flags, apart) SELECT o.id, f.key, f.graph, f.source, "
	"f.flags, f.apart"
	" FROM stage_function f JOIN stage_object o ON o.object = f.object WHERE true ORDER BY 1, 2, 3, 4, 5, 6"
	" ON CONFLICT DO NOTHING;"
	"UPDATE stage_function SET id = (SELECT f.id FROM function f JOIN stage_object o ON o.id = f.build"
	" WHERE o.object = stage_function.object AND f.key = stage_function.key AND f.graph = stage_function.graph"
	" AND f.source = stage_function.source AND f.flags = stage_function.flags AND f.apart = stage_function.apart);"
	"INSERT INTO bundle (label_set, runs, unsafe, any_program, first, last, stored, sums, writer)"
	" SELECT s.id, b.runs, b.unsafe, b.any_program, b.first, b.last, " WM_SQL_NOW ", 0, " WM_SQL_USER
	" FROM stage_bundle b JOIN label_set s ON s.labels = b.labels" WM_SQL_LABELS_OWNED ";"
	"UPDATE stage_bundle SET id = " WM_SQL_LAST_BUNDLE ";"
	"INSERT INTO tally (function, bundle, doubt, entries, resumed, base_entries, base_resumed, lost)"
	" SELECT f.id, b.id, f.doubt, f.entries, f.resumed, f.base_entries, f.base_resumed, f.lost FROM stage_function "
	"f,"
	" stage_bundle b WHERE true ON CONFLICT DO NOTHING;"
	"INSERT INTO path (function, bundle, path, count, base, first_seen, pid)"
	" SELECT f.id, b.id, p.path, p.count, p.base, p.first_seen, p.pid FROM stage_path p JOIN stage_function f"
	" ON f.function = p.function, stage_bundle b WHERE true ON CONFLICT DO NOTHING;"
	"INSERT INTO content (bundle, build, program, runs) SELECT b.id, o.id, o.program, o.runs FROM stage_object o,"
	" stage_bundle b;"
	"INSERT INTO machine (bundle, machine) SELECT id, machine FROM stage_bundle WHERE machine <> '';"
	"INSERT INTO doubtful (bundle, build, start, pid, doubt) SELECT b.id, o.id, d.start, d.pid, d.doubt"
	" FROM stage_doubtful d JOIN stage_object o ON o.object = d.object, stage_bundle b;"
	"INSERT INTO run (high, low, epoch, part, start, bundle, digest)"
	" SELECT r.high, r.low, r.epoch, r.part, r.start, b.id, r.digest"
	" FROM stage_run r, stage_bundle b;";

const char wm_schema_take_unfinished[] =
	"INSERT INTO unfinished (bundle, function, site, sum, count)"
	" SELECT b.id, f.id, u.site, u.sum, u.count FROM stage_unfinished u JOIN stage_function f"
	" ON f.function = u.function, stage_bundle b WHERE true ON CONFLICT DO NOTHING;";
/* clang-format on */

static char *replace(const char *text, const char *word, const char *with)
{
	struct wm_string result = {0};
	for (const char *at; (at = strstr(text, word)); text = at + strlen(word))
		wm_string_add(&result, "%.*s%s", (int)(at - text), text, with);
	wm_string_add(&result, "%s", text);
	return wm_string_text(&result);
}

char *wm_schema_text(const char *text, const char *const (*replacement)[2])
{
	char *result = wm_xstrdup(text);
	for (; (*replacement)[0]; replacement++) {
		char *next = replace(result, (*replacement)[0], (*replacement)[1]);
		free(result);
		result = next;
	}
	return result;
}
