#include "sim/builtin.h"

/* Fitted to published reviews of the drive named; the test of the curves says how near each one comes. */
static const char sn850_text[] =
	"model=Simulated SN850 1TB\n"
	"interface=pcie\n" "capacity_gb=1000.2\n" "shrink=16\n" "spare=7.25\n"
	"channels=8\n" "dies=2\n" "planes=4\n" "page_kb=16\n" "bits=3\n" "independent_planes=on\n"
	"read_us=55\n" "program_us=1450\n" "program_slc_us=250\n" "erase_us=10000\n" "channel_mbps=1200\n"
	"read_priority=suspend\n" "suspend_us=8\n"
	"link_read_mbps=3450\n" "link_write_mbps=3050\n"
	"read_us_fixed=8\n" "write_us_fixed=9\n" "read_us_command=1.18\n" "write_us_command=3.1\n"
	"buffer_mb=16\n" "gc_cost=2.1\n"
	"slc_gb=290\n" "slc_fold=0.9\n" "slc_keep_free=60\n"
	"heat_resistance=9\n" "heat_capacity=14\n" "throttle_mbps=900\n";

static const char p3700_text[] =
	"model=Simulated DC P3700 800GB\n"
	"interface=pcie\n" "capacity_gb=800.2\n" "shrink=16\n" "spare=37.4\n"
	"channels=18\n" "dies=4\n" "planes=2\n" "page_kb=16\n" "bits=2\n"
	"read_us=60\n" "program_us=2400\n" "erase_us=5000\n" "channel_mbps=200\n"
	"read_priority=suspend\n" "suspend_us=10\n"
	"link_read_mbps=2800\n" "link_write_mbps=2800\n"
	"read_us_fixed=15\n" "write_us_fixed=10\n" "read_us_command=2.1\n" "write_us_command=2.1\n"
	"buffer_mb=24\n" "plp=on\n" "gc_cost=1.42\n";

static const char s840pro_text[] =
	"model=Simulated 840 PRO 256GB\n"
	"interface=sata\n" "capacity_gb=256.06\n" "shrink=4\n" "spare=7.37\n" "queue_depth=32\n"
	"channels=8\n" "dies=4\n" "planes=2\n" "page_kb=8\n" "bits=2\n"
	"read_us=60\n" "program_us=1950\n" "erase_us=4000\n" "channel_mbps=400\n"
	"link_read_mbps=540\n" "link_write_mbps=520\n"
	"read_us_fixed=15\n" "write_us_fixed=12\n" "read_us_command=13.9\n" "write_us_command=10.5\n"
	"buffer_mb=8\n" "gc_cost=1.85\n" "gc_batch=7000\n" "hiccup_mb=6000\n" "hiccup_us=600000\n";

static const char intel750_text[] =
	"model=Simulated 750 400GB\n"
	"interface=pcie\n" "capacity_gb=400.09\n" "shrink=8\n" "spare=6\n"
	"channels=9\n" "dies=4\n" "planes=2\n" "page_kb=16\n" "bits=2\n"
	"read_us=57\n" "program_us=2500\n" "erase_us=5000\n" "channel_mbps=333\n"
	"link_read_mbps=2200\n" "link_write_mbps=2200\n"
	"read_us_fixed=15\n" "write_us_fixed=10\n" "read_us_command=2.3\n" "write_us_command=8.88\n"
	"write_slope=0.71\n" "buffer_mb=16\n" "plp=on\n" "gc_cost=1.2\n"
	"read_priority=none\n" "program_train=6\n";

static const char m8peg_text[] =
	"model=Simulated M8PeG 512GB\n"
	"interface=pcie\n" "capacity_gb=512.1\n" "shrink=8\n" "spare=7.37\n"
	"channels=8\n" "dies=4\n" "planes=2\n" "page_kb=16\n" "bits=2\n"
	"read_us=53\n" "program_us=1700\n" "erase_us=5000\n" "channel_mbps=400\n"
	"link_read_mbps=2300\n" "link_write_mbps=1300\n"
	"read_us_fixed=15\n" "write_us_fixed=20\n" "read_us_command=3.2\n" "write_us_command=29.7\n"
	"write_slope=-0.57\n" "buffer_mb=16\n" "gc_cost=4\n" "read_priority=none\n";

static const char shannon_text[] =
	"model=Simulated Direct-IO G2i 1.2TB\n"
	"interface=pcie\n" "pcie_generation=2\n" "pcie_lanes=8\n"
	"capacity_gb=1200\n" "shrink=16\n" "spare=33\n"
	"channels=10\n" "dies=4\n" "planes=2\n" "page_kb=8\n" "bits=2\n"
	"read_us=49\n" "program_us=1300\n" "erase_us=4000\n" "channel_mbps=300\n"
	"link_read_mbps=1925\n" "link_write_mbps=1400\n"
	"read_us_fixed=5\n" "write_us_fixed=12\n" "read_us_command=1.5\n" "write_us_command=6.6\n"
	"buffer_mb=8\n" "plp=on\n" "gc_cost=1.2\n";

static const char hdd_text[] =
	"model=Simulated 7200 rpm disk 2TB\n"
	"kind=hdd\n" "interface=sata\n" "capacity_gb=2000.4\n" "queue_depth=32\n" "ambient_c=35\n";

static const char hdd_raid0_text[] =
	"model=Simulated RAID 0 of two disks 4TB\n"
	"kind=hdd\n" "capacity_gb=4000.8\n" "queue_depth=32\n" "ambient_c=35\n" "disks=2\n" "stripe_kb=64\n";

static const char theory_text[] =
	"model=Simulated drive without fit knobs\n"
	"capacity_gb=16\n" "spare=20\n"
	"channels=4\n" "dies=4\n" "planes=2\n" "page_kb=16\n" "bits=1\n"
	"read_us=50\n" "program_us=300\n" "erase_us=3000\n" "channel_mbps=1000\n"
	"link_read_mbps=3000\n" "link_write_mbps=3000\n"
	"read_us_fixed=5\n" "write_us_fixed=5\n" "read_us_command=1\n" "write_us_command=1\n"
	"buffer_mb=8\n" "page_types=off\n" "jitter=0\n";

/* Generic drives: ordinary figures of their class, no particular product. */
static const char tlc_consumer_text[] =
	"model=Simulated consumer TLC NVMe 500GB\n"
	"interface=pcie\n" "capacity_gb=500.1\n" "shrink=16\n" "spare=7.37\n"
	"channels=4\n" "dies=4\n" "planes=4\n" "page_kb=16\n" "bits=3\n" "independent_planes=on\n"
	"read_us=50\n" "program_us=1600\n" "program_slc_us=280\n" "erase_us=8000\n" "channel_mbps=1200\n"
	"read_priority=suspend\n" "suspend_us=8\n"
	"link_read_mbps=3500\n" "link_write_mbps=3200\n"
	"read_us_fixed=12\n" "write_us_fixed=10\n" "read_us_command=1.6\n" "write_us_command=2.2\n"
	"buffer_mb=16\n" "map_cache_mb=64\n" "gc_cost=1.5\n" "gc_batch=96\n"
	"slc_gb=120\n" "slc_static_gb=6\n" "slc_fold=1.0\n" "slc_keep_free=40\n" "retry_rate=0.0005\n"
	"heat_resistance=9\n" "heat_capacity=12\n" "throttle_c=85\n" "throttle_clear_c=80\n"
	"throttle_mbps=800\n";

static const char qlc_consumer_text[] =
	"model=Simulated consumer QLC NVMe 1TB\n"
	"interface=pcie\n" "capacity_gb=1000.2\n" "shrink=16\n" "spare=7.37\n"
	"channels=4\n" "dies=2\n" "planes=4\n" "page_kb=16\n" "bits=4\n" "independent_planes=on\n"
	"read_us=90\n" "program_us=8700\n" "program_slc_us=300\n" "erase_us=15000\n" "channel_mbps=1200\n"
	"read_priority=suspend\n" "suspend_us=15\n"
	"link_read_mbps=3400\n" "link_write_mbps=2800\n"
	"read_us_fixed=14\n" "write_us_fixed=12\n" "read_us_command=1.8\n" "write_us_command=2.6\n"
	"buffer_mb=16\n" "map_cache_mb=64\n" "gc_cost=1.3\n" "gc_batch=256\n"
	"slc_gb=200\n" "slc_static_gb=12\n" "slc_fold=0.6\n" "slc_keep_free=40\n" "slc_refill=on\n"
	"retry_rate=0.002\n"
	"heat_resistance=10\n" "heat_capacity=12\n" "throttle_c=82\n" "throttle_clear_c=77\n"
	"throttle_mbps=600\n";

static const char tlc_datacenter_text[] =
	"model=Simulated datacenter TLC NVMe 1.92TB\n"
	"interface=pcie\n" "pcie_generation=4\n"
	"capacity_gb=1920.4\n" "shrink=32\n" "spare=28\n" "block=4096\n"
	"channels=8\n" "dies=4\n" "planes=4\n" "page_kb=16\n" "bits=3\n" "independent_planes=on\n"
	"read_us=50\n" "program_us=1900\n" "erase_us=8000\n" "channel_mbps=1200\n"
	"read_priority=suspend\n" "suspend_us=6\n"
	"link_read_mbps=6500\n" "link_write_mbps=3800\n"
	"read_us_fixed=12\n" "write_us_fixed=8\n" "read_us_command=0.95\n" "write_us_command=1.9\n"
	"buffer_mb=32\n" "plp=on\n" "gc_cost=1.3\n"
	"heat_resistance=5\n" "heat_capacity=60\n" "throttle_c=78\n" "throttle_clear_c=74\n"
	"throttle_mbps=1500\n";

static const char sata_tlc_text[] =
	"model=Simulated SATA TLC 500GB\n"
	"interface=sata\n" "capacity_gb=500.1\n" "shrink=16\n" "spare=9.5\n" "queue_depth=32\n"
	"channels=4\n" "dies=2\n" "planes=2\n" "page_kb=16\n" "bits=3\n"
	"read_us=60\n" "program_us=2000\n" "program_slc_us=320\n" "erase_us=8000\n" "channel_mbps=667\n"
	"link_read_mbps=550\n" "link_write_mbps=520\n"
	"read_us_fixed=25\n" "write_us_fixed=22\n" "read_us_command=10\n" "write_us_command=11\n"
	"buffer_mb=8\n" "gc_cost=1.4\n" "gc_batch=512\n"
	"slc_gb=20\n" "slc_static_gb=4\n" "slc_fold=0.8\n" "slc_keep_free=40\n";

const struct sim_profile sim_profiles_builtin[] = {
	{ "sn850", "WD Black SN850 1 TB: TLC, in a PCIe 3 slot, large dynamic SLC cache (fitted to reviews)",
	  sn850_text },
	{ "p3700", "Intel DC P3700 800 GB: MLC datacenter drive, large spare (fitted)", p3700_text },
	{ "840pro", "Samsung 840 PRO 256 GB: MLC, SATA, stalls when collecting (fitted)", s840pro_text },
	{ "intel750", "Intel 750 400 GB: MLC, NVMe, little spare (fitted)", intel750_text },
	{ "m8peg", "Plextor M8PeG 512 GB: MLC, NVMe (fitted)", m8peg_text },
	{ "shannon", "Shannon Direct-IO G2i 1.2 TB: MLC, PCIe (fitted)", shannon_text },
	{ "hdd", "hard disk, 7200 rpm, 2 TB", hdd_text },
	{ "hdd-raid0", "RAID 0 of two 7200 rpm disks (fitted)", hdd_raid0_text },
	{ "theory", "no fit knobs, no jitter: for comparison with formulas", theory_text },
	{ "tlc-consumer", "consumer NVMe, TLC, SLC cache, host memory buffer, 500 GB", tlc_consumer_text },
	{ "qlc-consumer", "consumer NVMe, QLC, large SLC cache, 1 TB", qlc_consumer_text },
	{ "tlc-datacenter", "datacenter NVMe, TLC, 28 % spare, power-loss protection, 1.92 TB",
	  tlc_datacenter_text },
	{ "sata-tlc", "SATA, TLC, small SLC cache, 500 GB", sata_tlc_text },
	{ NULL, NULL, NULL },
};
