/* hdd: hard disks, one or several as RAID 0.
 *
 * Commands are cut at stripes and wait in the queues of their disks. Writes are acknowledged from the cache
 * while it has room, and written later in the order the disk likes. A command's end is known when its last
 * part ends. */
#pragma once
#include "base/io.h"
#include "sim/disk.h"
#include "sim/sim.h"

struct sim_hdd_command {
	const void *owner;	/* NULL: nobody waits (any more) */
	uint64_t tag;
	uint64_t done_ns;	/* once parts is 0 */
	uint64_t before;	/* flush: waits for cached writes of lower sequence; 0: not a flush */
	int32_t result;
	uint32_t parts;		/* still to be done */
	bool used;
};

struct sim_hdd {
	struct sim_disk *disks;		/* owned */
	uint32_t count;
	uint64_t stripe_bytes, size_bytes;
	uint64_t ack_ns;		/* a write into the cache */
	uint32_t cache_ops;		/* per disk */
	bool write_cache;
	uint64_t sequence;
	struct sim_hdd_command *commands;	/* owned */
	uint32_t room;
	uint64_t read_bytes, written_bytes;
};

int sim_hdd_init(struct sim_hdd *hdd,
		 const struct sim_params *params);	/* 0 or -ENOMEM; release in either case */
void sim_hdd_release(struct sim_hdd *hdd);
/* As the functions of sim.h with these names. A flush or write that needs not wait is answered at once. */
int32_t sim_hdd_submit(struct sim_hdd *hdd, const struct io *io, uint64_t now_ns, const void *owner,
		       uint64_t tag, uint64_t *ret_done_ns);
uint64_t sim_hdd_next_event_ns(const struct sim_hdd *hdd);
int sim_hdd_reap(struct sim_hdd *hdd, const void *owner, uint64_t now_ns, struct sim_done *ret_done);
void sim_hdd_forget(struct sim_hdd *hdd, const void *owner);
