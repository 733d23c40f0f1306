#include "says.h"
#include <dlfcn.h>
#include <signal.h>
#include <sys/wait.h>
enum { WORK, LOOP, SPREAD, NEVER, BODY, MAIN, PLUG, UNUSED };
static int plugged;
QUIET void say(void)
{
	say_function(WORK, "work", 2);
	say_function(LOOP, "loop", 4);
	say_function(SPREAD, "spread", 6);
	say_function(NEVER, "never", 1);
	say_function(BODY, "body", 10);
	say_function(MAIN, "main", 2);
	if (plugged) say_function(PLUG, "plug", 2), say_function(UNUSED, "unused", 1);
	say_raw(1 + plugged);
}
int work(int n)
{
	in(WORK);
	if (n > 5) {
		end(10 * WORK);
		return 1;
	}
	end(10 * WORK + 1);
	return 2;
}
int loop(int n)
{
	int sum = 0;
	in(LOOP);
	for (int i = 0; i < n; i++) {
		sum += work(i);
		end(10 * LOOP + !i);
	}
	end(10 * LOOP + 2 + !n);
	return sum;
}
/* In a child, the paths of the callers do not end. */
void spread(int n)
{
	in(SPREAD);
	for (int i = 0; i < n; i++) {
		pid_t child = fork();
		if (child == 0) {
			said->raw++;
			loop(i);
			end(10 * SPREAD + !i);
			exit(i);
		}
		waitpid(child, NULL, 0);
		end(10 * SPREAD + 2 + !i);
	}
	end(10 * SPREAD + 4 + !n);
}
void never(void) {}
/* What the library does, which does not count itself. */
QUIET int load(int n)
{
	void *library = dlopen(getenv("PLUG"), RTLD_NOW);
	int (*plug)(int) = library ? (int (*)(int))dlsym(library, "plug") : NULL;
	if (!plug) abort();
	plugged = 1;
	said->raw++;
	in(PLUG);
	end(10 * PLUG + (n > 10));
	int result = plug(n);
	dlclose(library);
	return result;
}
int body(const char *how)
{
	in(BODY);
	loop(9);
	if (!strcmp(how, "exit")) {
		end(10 * BODY);
		say();
		exit(7);
	}
	if (!strcmp(how, "_exit")) {
		end(10 * BODY);
		say();
		_exit(4);
	}
	if (!strcmp(how, "kill")) {
		say();
		raise(SIGKILL);
		return 1;
	}
	if (!strcmp(how, "term")) {
		say();
		raise(SIGTERM);
		return 1;
	}
	if (!strcmp(how, "fork")) {
		spread(3);
		end(10 * BODY);
		return 0;
	}
	if (!strcmp(how, "exec")) {
		say();
		execl(getenv("OTHER"), "other", (char *)0);
		return 1;
	}
	if (!strcmp(how, "forkexec")) {
		if (fork() == 0) {
			said->raw++;
			execl(getenv("OTHER"), "other", (char *)0);
			_exit(9);
		}
		wait(NULL);
		end(10 * BODY);
		return 0;
	}
	if (!strcmp(how, "dlopen")) {
		load(3);
		load(30);
		end(10 * BODY);
		return 0;
	}
	end(10 * BODY);
	return 3;
}
int main(int argc, char **argv)
{
	begin();
	in(MAIN);
	int status = body(argv[1]);
	if (!strcmp(argv[1], "closed")) {
		fclose(stdout);
		close(1);
		end(10 * MAIN);
	} else {
		end(10 * MAIN + 1);
	}
	say();
	return status;
}
