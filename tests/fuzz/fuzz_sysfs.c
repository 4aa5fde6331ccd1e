/* fuzz_sysfs: hostile texts in the attribute files of a captured machine. The first byte picks what is read;
 * then come entries, each a byte that picks a file of the table below and its new text, up to a zero byte. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include "memory_tree.h"
#include "drive/drive.h"
#include "drive/drive_counters.h"
#include "drive/drive_host.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#define PCI "sys/devices/pci0/0000:01:00.0/"
#define DISK PCI "nvme/nvme0/nvme0n1/"

struct entry {
	const char *path, *text;
};

static const struct entry files[] = {
	{ PCI "current_link_speed", "8.0 GT/s PCIe" },
	{ PCI "current_link_width", "4" },
	{ PCI "numa_node", "0" },
	{ PCI "nvme/nvme0/model", "A model" },
	{ PCI "nvme/nvme0/serial", "A serial" },
	{ PCI "nvme/nvme0/firmware_rev", "1" },
	{ PCI "nvme/nvme0/hwmon1/temp1_input", "41850" },
	{ DISK "dev", "259:0" },
	{ DISK "size", "1953525168" },
	{ DISK "ro", "0" },
	{ DISK "nsid", "1" },
	{ DISK "wwid", "eui.0025384531b0a1c2" },
	{ DISK "stat", " 5000 10 80000 900 3000 20 48000 700 2 1500 1600 12 0 96000 3 40 5" },
	{ DISK "queue/logical_block_size", "512" },
	{ DISK "queue/max_sectors_kb", "128" },
	{ DISK "queue/nr_requests", "1023" },
	{ DISK "queue/rotational", "0" },
	{ DISK "queue/scheduler", "none [mq-deadline] kyber bfq" },
	{ DISK "queue/write_cache", "write back" },
	{ DISK "queue/discard_max_bytes", "2199023255040" },
	{ DISK "nvme0n1p1/dev", "259:1" },
	{ DISK "nvme0n1p1/partition", "1" },
	{ DISK "nvme0n1p1/start", "2048" },
	{ DISK "nvme0n1p1/size", "1048576" },
	{ "proc/swaps", "Filename Type Size Used Priority\n/dev/nvme0n1p1 partition 4194300 0 -2\n" },
	{ "proc/self/mountinfo", "27 1 259:1 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p1 rw\n" },
	{ "proc/stat", "cpu  1000 200 300 4000 50 6 7 8 0 0\ncpu0 500 100 150 2000 25 3 4 4 0 0\nctxt 987654\n" },
	{ "proc/softirqs", "      CPU0\n   BLOCK:        120        340\n" },
	{ "proc/meminfo", "MemTotal: 16252928 kB\nMemAvailable: 8000000 kB\n" },
	{ "proc/pressure/io", "some avg10=0.00 avg60=0.00 avg300=0.00 total=765" },
	{ "proc/cpuinfo", "model name\t: A processor\nflags\t\t: fpu hypervisor\n" },
	{ "etc/os-release", "PRETTY_NAME=\"Debian\"\n" },
	{ "sys/devices/system/cpu/vulnerabilities/meltdown", "Mitigation" },
};

static const struct entry links[] = {
	{ "sys/block/nvme0n1", "../../" DISK },
	{ "sys/class/block/nvme0n1", "../../../" DISK },
	{ "sys/class/block/nvme0n1p1", "../../../" DISK "nvme0n1p1" },
	{ "sys/dev/block/259:0", "../../../" DISK },
	{ "sys/dev/block/259:1", "../../../" DISK "nvme0n1p1" },
	{ DISK "device", "../../nvme0" },
	{ PCI "nvme/nvme0/device", "../../../0000:01:00.0" },
};

#define FILES (sizeof(files) / sizeof(*files))

struct tree {
	struct machine machine;
	size_t file[FILES];
	bool changed[FILES];
};

static struct tree tree;

static void file_restore(size_t index)
{
	memory_tree_write(tree.file[index], files[index].text, strlen(files[index].text));
	tree.changed[index] = false;
}

static void tree_make(void)
{
	const char *const queue = "/sys/class/block/nvme0n1/queue";
	char scheduler[64];

	tree.machine.root = MEMORY_TREE;
	for (size_t i = 0; i < FILES; i++) {
		tree.file[i] = memory_tree_add(files[i].path);
		file_restore(i);
	}
	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++)
		memory_tree_link(links[i].path, links[i].text);
	/* reaches the tree, or nothing below is tested */
	if (machine_read_text(&tree.machine, scheduler, sizeof(scheduler), "%s/scheduler", queue) < 0 ||
	    strcmp(scheduler, "none [mq-deadline] kyber bfq"))
		abort();
}

/* The input's texts stay where they are: exactly as large as they are given, for the sanitizers. */
static void tree_change(const uint8_t *data, size_t bytes)
{
	while (bytes) {
		const size_t index = data[0] % FILES;
		const uint8_t *end = memchr(data + 1, 0, bytes - 1);
		const size_t length = end ? (size_t)(end - data) - 1 : bytes - 1;

		memory_tree_write(tree.file[index], data + 1, length);
		tree.changed[index] = true;
		data += 1 + length + (end != NULL);
		bytes -= 1 + length + (end != NULL);
	}
}

static void tree_restore(void)
{
	for (size_t i = 0; i < FILES; i++)
		if (tree.changed[i])
			file_restore(i);
}

/* No control characters in what people read. */
static void check_printable(const struct text *text)
{
	for (const char *c = text_data(text); *c; c++)
		if (((unsigned char)*c < 0x20 && *c != '\n') || *c == 0x7f)
			abort();
}

static void read_facts(void)
{
	struct drive_facts facts;
	struct fault fault = { 0 };
	struct text text = { 0 };
	char *json;

	if (drive_find(&tree.machine, "nvme0n1", &facts, &fault)) {
		if (!*fault.text)
			abort();
		return;
	}
	json = drive_facts_json(&facts);
	drive_facts_text(&facts, &text);
	check_printable(&text);
	if (!json || text.error)
		abort();
	free(json);
	text_release(&text);
	drive_facts_release(&facts);
}

static void read_host(void)
{
	struct host_sample sample = { 0 };

	drive_host_sample(&tree.machine, &sample);
	host_sample_release(&sample);
}

static void read_host_facts(void)
{
	char *json = drive_host_json(&tree.machine, "1");

	if (!json)
		abort();
	free(json);
}

static void read_counters(void)
{
	struct drive_counters before = { 0 }, after, delta;
	struct drive_health health;
	struct drive_link link[DRIVE_LINKS_MAX];
	const dev_t dev = makedev(259, 0);

	if (!drive_counters(&tree.machine, dev, &after))
		drive_counters_delta(&before, &after, &delta);
	drive_health(&tree.machine, dev, &health);
	if (drive_links(&tree.machine, dev, link) > DRIVE_LINKS_MAX)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static void (*const readers[])(void) = { read_facts, read_host, read_host_facts, read_counters };

	if (!bytes)
		return 0;
	if (!tree.machine.root)
		tree_make();
	tree_change(data + 1, bytes - 1);
	readers[data[0] & 3]();
	tree_restore();
	return 0;
}
