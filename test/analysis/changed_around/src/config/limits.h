#define LEAST 2

/* A comment
 * on two lines. */
