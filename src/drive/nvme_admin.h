/* nvme_admin: one admin command to an NVMe drive; the inside of nvme.c and nvme_log.c. */
#pragma once
#include <linux/nvme_ioctl.h>
#include <stdint.h>
#include "drive/block.h"

#define NVME_ALL_NAMESPACES 0xffffffffu

/* Sends it through the namespace's block device node; timeout_ms 0 = 5 s. 0 and command->result; errors as in
 * nvme.h. */
int nvme_admin(const struct machine *machine, const struct block *block, struct nvme_admin_cmd *command);
/* The same for a command that fills `bytes` of `data`, which are zeroed first. */
int nvme_admin_read(const struct machine *machine, const struct block *block, struct nvme_admin_cmd *command,
		    void *data, uint32_t bytes);
