/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The commands.  Each is one file, cmd_NAME.c, with one entry point, wm_cmd_NAME(argc, argv), where argv[0] is its name; main.c
 * has the table of them.
 *
 * Exit codes: 0 success; 1 a mistake of the user; 2 a defect of Waymark; 3 the result of a check is negative
 * (--fail-if-untested); 4 the counts of every run were refused (report); 5 no test wrote a profile (test).
 */
#ifndef WM_CMD_COMMANDS_H
#define WM_CMD_COMMANDS_H

int wm_cmd_cc(int argc, char **argv); /* cc and c++ */
int wm_cmd_run(int argc, char **argv);
int wm_cmd_merge(int argc, char **argv);
int wm_cmd_report(int argc, char **argv);
int wm_cmd_segments(int argc, char **argv);
int wm_cmd_spool(int argc, char **argv);
int wm_cmd_push(int argc, char **argv);
int wm_cmd_store(int argc, char **argv);
int wm_cmd_show(int argc, char **argv);
int wm_cmd_untested(int argc, char **argv);
int wm_cmd_test(int argc, char **argv);
int wm_cmd_tests(int argc, char **argv);
int wm_cmd_diff(int argc, char **argv);
int wm_cmd_blame(int argc, char **argv);
int wm_cmd_number(int argc, char **argv);
int wm_cmd_replay(int argc, char **argv);
int wm_cmd_hw(int argc, char **argv);
int wm_cmd_export(int argc, char **argv);
int wm_cmd_crash(int argc, char **argv);
int wm_cmd_version(int argc, char **argv);
int wm_cmd_wpp(int argc, char **argv);

#endif
