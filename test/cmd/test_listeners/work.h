/* What the tests test; in C, so that its name is one word. */
#ifdef __cplusplus
extern "C"
#endif
	int
	work(int n);
