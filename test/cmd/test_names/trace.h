/* Counts calls by test and function, in code without probes, and appends them to the file TRACE at exit. */
void trace(const char *function);
void trace_name(const char *name);
void trace_reset(void);
