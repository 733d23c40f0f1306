/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The tables of a store, and the SQL that both databases execute.  doc/store.md explains the tables.
 *
 * A profile is first written to the *stage*, temporary tables of the connection, and wm_schema_take then moves it into the
 * store.  In SQLite a command executes these statements; in PostgreSQL a function of the owner does, so that a writer needs
 * no right to any table of the store.
 */
#ifndef WM_STORE_SCHEMA_H
#define WM_STORE_SCHEMA_H

/* Version 2 keeps the names of schemes (profile/base/scheme_name.h), as profiles do: in the flags of functions, above WM_FUNC_KNOWN.
 * The tables are those of version 1.  Version 3 keeps unfinished paths: it has the table of wm_schema_unfinished, too. */
enum { WM_SCHEMA_VERSION = 3, WM_SCHEMA_WITH_SCHEMES = 2, WM_SCHEMA_WITH_UNFINISHED = 3 };

/* What differs between the databases replaces these words in the text below. */
#define WM_SQL_ID "%ID%" /* type of a number that the database gives, and that is a primary key */
#define WM_SQL_SHARDED "%SHARDED%" /* after the columns of a table that is divided by function */
#define WM_SQL_STAGE "%STAGE%" /* before the name of a table of the stage: creates it */
#define WM_SQL_STAGED "%STAGED%" /* after the columns of a table of the stage */
#define WM_SQL_LAST_BUNDLE "%LAST_BUNDLE%" /* the id of the bundle that this connection inserted last */
#define WM_SQL_NOW "%NOW%" /* seconds since 1970 */
#define WM_SQL_USER "%USER%" /* who is connected */
/* Whose label sets a push uses: a column of label_set, its value, and a condition on the row s.  Two pushes with the same new labels
 * wait for each other, and whoever is not trusted must not hold others up. */
#define WM_SQL_LABELS_COLUMN "%LABELS_COLUMN%"
#define WM_SQL_LABELS_OWNER "%LABELS_OWNER%"
#define WM_SQL_LABELS_OWNED "%LABELS_OWNED%"

/* The program by which the build of a row of stage_object is identified, "" if its build-id does.  A *claimed* build-id is the word
 * of somebody who may push certain programs only: such a build is identified by both. */
#define WM_SQL_BUILD_PROGRAM(o) "coalesce(" o ".claim, CASE WHEN " o ".build_id = '' THEN " o ".program ELSE '' END)"

extern const char wm_schema_tables[];
/* The tables that grow with the number of paths: tally, path and seen. */
extern const char wm_schema_divided[];
/* The unfinished paths, which are fewer: the table is not divided. */
extern const char wm_schema_unfinished[];
extern const char wm_schema_stage[];
/* How much of the staged runs the store has: one number, an enum wm_staged. */
extern const char wm_schema_compare[];
extern const char wm_schema_take[];
/* The same for unfinished paths, after wm_schema_take. */
extern const char wm_schema_take_unfinished[];

/* What wm_database_kind.stage_compare returns. */
enum wm_staged {
	WM_STAGED_NEW, /* the store has none of the runs */
	WM_STAGED_STORED, /* the store has all of them, with the same content */
	WM_STAGED_SHARED, /* the store has some of them */
	WM_STAGED_PARTS, /* the store has parts of a run that is staged whole, or the other way round */
	WM_STAGED_OTHER, /* the store has all of them, and one with other content */
	WM_STAGED_UNSURE, /* the store has all of them; with which content is not known, because runs were stored as a sum */
};

/* The text with the words replaced: {word, replacement}, ending in NULL.  Release it with free. */
char *wm_schema_text(const char *text, const char *const (*replacement)[2]);

#endif
