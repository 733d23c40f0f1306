#include "common.h"
int main(void)
{
	static char buffer[100];
	struct aiocb a = {.aio_fildes = open("common.h", O_RDONLY),
			     .aio_buf = buffer,
			     .aio_nbytes = 50,
			     .aio_sigevent = event},
		     b = a, *list[] = {&b};
	sem_init(&done, 0, 0);
	a.aio_lio_opcode = b.aio_lio_opcode = LIO_READ;
	if (aio_read(&a))
		return 1;
	while (aio_error(&a) == EINPROGRESS)
		usleep(1000);
	/* The request is used again as it is. */
	return aio_return(&a) != 50 || aio_read(&a) || lio_listio(LIO_NOWAIT, list, 1, &event) || finish(4);
}
