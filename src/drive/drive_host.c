#include "drive/drive_host.h"
#include "base/text.h"
#include "drive/json.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#define TABLE_BYTES_MAX (16u << 20)

/* The rest of the line that starts with `key`, without separators and quotes; false when there is none. */
static bool keyed_text(const char *table, const char *key, char *buffer, uint32_t buffer_bytes)
{
	const size_t length = strlen(key);
	char raw[512];

	for (const char *line = table; line && *line;
	     line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
		if (strncmp(line, key, length))
			continue;
		line += length;
		line += strspn(line, "\t :=\"");
		snprintf(raw, sizeof raw, "%.*s", (int)strcspn(line, "\"\n"), line);
		machine_clean_text(raw, buffer, buffer_bytes);
		return true;
	}
	return false;
}

static bool table_text(const struct machine *machine, const char *path, const char *key, char *buffer,
		       uint32_t buffer_bytes)
{
	char full[PATH_MAX];
	struct text table = {0};
	bool found;

	snprintf(full, sizeof full, "%s%s", machine_or_real(machine)->root, path);
	found = !text_read_file(&table, full, TABLE_BYTES_MAX) &&
		keyed_text(text_data(&table), key, buffer, buffer_bytes);
	text_release(&table);
	return found;
}

static void put_file(json_t *object, const char *key, const struct machine *machine, const char *path)
{
	char text[256];

	machine_read_text(machine, text, sizeof text, "%s", path);
	json_put_text(object, key, text);
}

static void put_cpu(json_t *object, const struct machine *machine)
{
	char text[256] = "";

	if (!table_text(machine, "/proc/cpuinfo", "model name", text, sizeof text))
		table_text(machine, "/proc/cpuinfo", "Hardware", text, sizeof text);
	json_put_text(object, "cpu", text);
	json_put_u64(object, "cpus_online", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
	put_file(object, "cpus_present", machine, "/sys/devices/system/cpu/present");
	put_file(object, "smt", machine, "/sys/devices/system/cpu/smt/control");
	put_file(object, "numa_nodes", machine, "/sys/devices/system/node/online");
	put_file(object, "governor", machine, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
	put_file(object, "idle_driver", machine, "/sys/devices/system/cpu/cpuidle/current_driver");
	put_file(object, "clock_source", machine,
		 "/sys/devices/system/clocksource/clocksource0/current_clocksource");
}

static void put_memory(json_t *object, const struct machine *machine)
{
	char text[64] = "", pages[64];
	const bool found = table_text(machine, "/proc/meminfo", "MemTotal", text, sizeof text);

	json_put_u64(object, "memory_bytes", found ? strtoull(text, NULL, 10) * 1024 : DRIVE_UNKNOWN);
	machine_read_text(machine, pages, sizeof pages, "/sys/kernel/mm/transparent_hugepage/enabled");
	json_put_text(object, "huge_pages", pages);
}

static void put_system(json_t *object, const struct machine *machine)
{
	char text[256] = "";

	put_file(object, "host", machine, "/proc/sys/kernel/hostname");
	put_file(object, "kernel", machine, "/proc/sys/kernel/osrelease");
	if (!table_text(machine, "/etc/os-release", "PRETTY_NAME", text, sizeof text))
		table_text(machine, "/usr/lib/os-release", "PRETTY_NAME", text, sizeof text);
	json_put_text(object, "os", text);
	put_file(object, "command_line", machine, "/proc/cmdline");
	put_file(object, "computer", machine, "/sys/class/dmi/id/product_name");
	put_file(object, "computer_vendor", machine, "/sys/class/dmi/id/sys_vendor");
}

/* What /proc and DMI tell of a hypervisor: the CPU flag says that there is one, the vendor often which. */
static const char *virtual_machine(const struct machine *machine)
{
	static const char *const vendors[][2] = {
		{"QEMU", "qemu"},     {"Amazon EC2", "ec2"},
		{"VMware", "vmware"}, {"Microsoft Corporation", "hyperv"},
		{"Google", "google"}, {"innotek GmbH", "virtualbox"},
		{"Xen", "xen"},	      {"Parallels", "parallels"},
	};
	char flags[8192] = "", vendor[128], type[64];
	char full[PATH_MAX];
	struct text table = {0};
	const char *at;

	snprintf(full, sizeof full, "%s/proc/cpuinfo", machine_or_real(machine)->root);
	if (!text_read_file(&table, full, TABLE_BYTES_MAX) && (at = strstr(text_data(&table), "\nflags")))
		snprintf(flags, sizeof flags, "%.*s ", (int)strcspn(at + 1, "\n"), at + 1);
	text_release(&table);
	if (machine_read_text(machine, type, sizeof type, "/sys/hypervisor/type") > 0)
		return "xen";
	machine_read_text(machine, vendor, sizeof vendor, "/sys/class/dmi/id/sys_vendor");
	if (!strstr(flags, " hypervisor "))
		return "none";
	for (uint32_t i = 0; i < sizeof vendors / sizeof *vendors; i++)
		if (!strncmp(vendor, vendors[i][0], strlen(vendors[i][0])))
			return vendors[i][1];
	return "unknown hypervisor";
}

static uint64_t limit(int which)
{
	struct rlimit value;

	return getrlimit((enum __rlimit_resource)which, &value) || value.rlim_cur == RLIM_INFINITY
		       ? DRIVE_UNKNOWN
		       : (uint64_t)value.rlim_cur;
}

static json_t *mitigations_json(const struct machine *machine)
{
	json_t *object = json_object();
	struct lines names = {0};
	char text[256];

	const int failed = machine_list(machine, &names, "/sys/devices/system/cpu/vulnerabilities");

	for (uint32_t i = 0; !failed && i < names.count; i++)
		if (machine_read_text(machine, text, sizeof text,
				      "/sys/devices/system/cpu/vulnerabilities/%s", names.line[i]) > 0 &&
		    strcmp(text, "Not affected"))
			json_put_text(object, names.line[i], text);
	lines_release(&names);
	return object;
}

char *drive_host_json(const struct machine *machine, const char *program_version)
{
	json_t *object = json_object();
	struct utsname name;

	json_put_text(object, "program_version", program_version);
	put_system(object, machine);
	json_put_text(object, "architecture", uname(&name) ? "" : name.machine);
	put_cpu(object, machine);
	put_memory(object, machine);
	json_put_text(object, "virtual_machine", virtual_machine(machine));
	json_object_set_new(object, "mitigations", mitigations_json(machine));
	json_put_u64(object, "memlock_limit_bytes", limit(RLIMIT_MEMLOCK));
	json_put_u64(object, "file_limit", limit(RLIMIT_NOFILE));
	return json_take_text(object);
}
