/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime/file/warn.h"

#include "runtime/file/file_write.h"
#include "runtime/file/live.h"
#include "runtime/state/control_record.h"
#include "runtime/system/text.h"

#include <errno.h>

static const char *error_text(int error)
{
	switch (-error) {
	case EACCES:
	case EPERM:
		return "permission denied";
	case ENOENT:
		return "no such directory";
	case EEXIST:
		return "it is not a pool of this build";
	case ENOSPC:
	case EDQUOT:
		return "no space left";
	case EROFS:
		return "read-only file system";
	case EFBIG:
		return "file size limit";
	case EMFILE:
	case ENFILE:
		return "too many open files";
	case ENOMEM:
		return "out of memory";
	case ENAMETOOLONG:
		return "name too long";
	case ENODATA:
		return "it was truncated";
	case ENOTDIR:
		return "not a directory";
	case EISDIR:
		return "it is a directory";
	case ENXIO:
		return "it is not a regular file";
	case ENOTSUP:
		return "linked without waymark.ld";
	}
	return NULL;
}

static void put_error(struct wm_text *line, int error)
{
	const char *text = error_text(error);
	wm_put_text(line, text ? text : "system error ");
	if (!text)
		wm_put_number(line, (uint64_t)-(int64_t)error);
}

struct claim {
	int warning;
	bool first;
};

static int claim_warning(const struct wm_control *control, void *data)
{
	struct claim *claim = data;
	if (__atomic_fetch_or(control->warned, claim->warning, __ATOMIC_RELAXED) & claim->warning)
		claim->first = false;
	return 0;
}

static bool is_error_stream(int fd)
{
	struct wm_file_identity now = wm_file_identity_of(fd);
	return now.open && wm.error_stream.open && now.device == wm.error_stream.device &&
	       now.inode == wm.error_stream.inode;
}

/* The stream may be a file that has reached its size limit. */
static void write_warning(const char *text, size_t size)
{
	uint64_t mask;
	sys_block_signals(&mask);
	long written = sys3(SYS_write, 2, (long)text, (long)size);
	if (written == -EFBIG || (written >= 0 && (size_t)written < size))
		wm_take_back_xfsz();
	sys_restore_signals(&mask);
}

void wm_warn(enum wm_warning warning, const char *what, const char *which, int error)
{
	char text[512];
	struct wm_text line = {text, 0, sizeof text - 1, false};
	struct claim claim = {warning, true};
	if (warning == WM_WARN_GROWTH)
		claim_warning(&__wm_control, &claim);
	else
		wm_each_control(claim_warning, &claim);
	if (!claim.first || !is_error_stream(2))
		return;
	wm_put_text(&line, "waymark: ");
	wm_put_text(&line, what);
	wm_put(&line, ' ');
	wm_put_text(&line, which);
	if (error) {
		wm_put_text(&line, ": ");
		put_error(&line, error);
	}
	text[line.size++] = '\n';
	write_warning(text, line.size);
}
