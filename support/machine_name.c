/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/machine_name.h"
#include "support/buffer.h"
#include "support/xalloc.h"

#include <sha256.h>
#include <stdio.h>
#include <string.h>

char *wm_machine_name(void)
{
	static const char application[] = "waymark store\n";
	struct wm_buffer id;
	uint8_t digest[SHA256_DIGEST_LENGTH];
	SHA2_CTX hash;
	char name[33] = "";
	if (!wm_buffer_read(&id, "/etc/machine-id"))
		return wm_xstrdup("");
	SHA256Init(&hash);
	SHA256Update(&hash, (const uint8_t *)application, sizeof(application));
	SHA256Update(&hash, id.data, id.size);
	SHA256Final(digest, &hash);
	for (size_t i = 0; i < 16 && id.size > 1; i++)
		snprintf(name + 2 * i, 3, "%02x", digest[i]);
	wm_buffer_release(&id);
	return wm_xstrdup(name);
}
