/* Every mistake is named with its exact line and column and what to do. */
#include "fixture.h"

struct row {
	enum plan_dialect dialect;
	const char *text;
	uint32_t line, column;
	const char *says;	/* part of the sentence */
};

#define P PLAN_NATIVE
#define F PLAN_FIO

static const struct row rows[] = {
	/* unknown, foreign, unsupported, without effect */
	{ P, "[a]\nidepth=3\n", 2, 1, "did you mean iodepth?" },
	{ P, "[a]\n\n  ; words\n   blok=4k\n", 4, 4, "not known" },
	{ F, "[a]\nrw=randread\niodpeth=4\n", 3, 1, "did you mean iodepth?" },
	{ P, "[a]\nxyzzyxyzzy=1\n", 2, 1, "xyzzyxyzzy is not known" },
	{ F, "[a]\nkind=fill\n", 2, 1, ".plan files" },
	{ F, "[a]\nvary.bs=4k 8k\n", 2, 1, ".plan files" },
	{ P, "[a]\nstonewall\n", 2, 1, "with=STEP" },
	{ P, "[a]\nverify=crc32c\n", 2, 1, "not supported" },
	{ F, "[a]\nverify=crc32c\n", 2, 1, "not read back" },
	{ F, "[a]\nexec_prerun=ls\n", 2, 1, "not supported" },
	{ P, "[a]\nwrite_bw_log=x\n", 2, 1, "no effect" },
	{ P, "[a]\nthread\n", 2, 1, "no effect" },
	{ P, "[a]\nrwmixread=50\n", 2, 1, "needs rw=rw" },
	{ P, "[a]\nrw=write\nnorandommap=0\n", 3, 1, "needs a random rw" },
	{ P, "[a]\nioengine=psync\niodepth=32\n", 3, 1, "several I/Os in flight" },
	{ P, "[a]\nfsync=1\n", 2, 1, "writes" },
	{ P, "[a]\nvary.iodepth=1 4..16*2 8\n", 2, 24, "8 stands twice" },
	{ P, "[a]\nwith=a\n", 2, 6, "step \"a\" doesn't stand above" },
	{ P, "[a]\ndirect=0\nhipri\n", 3, 1, "direct=1" },
	{ P, "[a]\nrate=,1m\n", 2, 1, "direction" },
	{ P, "[global]\niodepth=4\n[a]\nkind=purge\n", 2, 1, "no step of this plan takes it" },
	{ P, "[a]\nkind=idle\nruntime=1\nbs=4k\n", 4, 1, "kind=idle" },
	/* sizes and numbers */
	{ P, "[a]\nbs=4x\n", 2, 4, "no size" },
	{ P, "[a]\nbs=\n", 2, 4, "missing" },
	{ P, "[a]\nbs\n", 2, 1, "missing" },
	{ P, "[a]\nbs=-4k\n", 2, 4, "missing" },
	{ P, "[a]\nbs=0\n", 2, 4, "0 bytes" },
	{ P, "[a]\nbs=4k,8k,16k,32k\n", 2, 14, "three values" },
	{ P, "[a]\nbs=64k-4k\n", 2, 4, "upside down" },
	{ P, "[a]\nbs=2g\n", 2, 4, "at most 1g" },
	{ P, "[a]\nsize=99999999999999999999\n", 2, 6, "larger than any" },
	{ P, "[a]\nsize=20000000t\n", 2, 6, "larger than any" },
	{ P, "[a]\nsize=0\n", 2, 6, "whole target" },
	{ F, "[a]\nsize=0\n", 2, 6, "whole target" },
	{ P, "[a]\nsize=0%\n", 2, 6, "whole target" },
	{ P, "[a]\nsize=120%\n", 2, 6, "more than 100%" },
	{ P, "[a]\nbs=64k\nsize=4k\n", 3, 1, "one block" },
	{ F, "[a]\nbs=4KiB\n", 2, 4, "write \"4k\"" },
	{ F, "[a]\nrw=read\nsize = 1GiB\n", 3, 8, "write \"1g\"" },
	{ F, "[a]\nbs=8k,4kib\n", 2, 7, "write \"4k\"" },
	{ P, "[a]\nnumjobs=0\n", 2, 9, "1 to 4096" },
	{ P, "[a]\nnumjobs=4.5\n", 2, 9, "whole number" },
	{ P, "[a]\niodepth=65536\n", 2, 9, "out of range" },
	{ P, "[a]\nrw=rw\nrwmixread=101\n", 3, 11, "0 to 100" },
	{ P, "[a]\nruntime=5x\n", 2, 9, "no time" },
	{ P, "[a]\nruntime=0\n", 2, 9, "measures nothing" },
	{ P, "[a]\nruntime=99999999999999\n", 2, 9, "longer than any" },
	{ P, "[a]\ndirect=maybe\n", 2, 8, "neither 1 nor 0" },
	{ P, "[a]\nrw=randraed\n", 2, 4, "did you mean randread?" },
	{ P, "[a]\nrw=rw:8k\n", 2, 7, "mixed loads take no such number" },
	{ P, "[a]\nrw=randread:-8\n", 2, 13, "whole number" },
	{ P, "[a]\nrw=read:x\n", 2, 9, "" },
	{ P, "[a]\nkind=fill\nrw=write:4k\n", 3, 1, "a fill leaves nothing out" },
	{ P, "[a]\nrw=randread\nrw_sequencer=identical\n", 3, 1, "needs an rw like randread:8" },
	{ P, "[a]\nrw=randread:8\npercentage_random=50\n", 3, 1, "percentage_random contradicts" },
	{ P, "[a]\nrw=trimwrite\n", 2, 4, "not supported" },
	{ P, "[a]\nioengine=libiao\n", 2, 10, "did you mean libaio?" },
	{ F, "[a]\nioengine=posixaio\n", 2, 10, "posixaio is not supported" },
	{ P, "[a]\ncpus_allowed=3-1\n", 2, 14, "upside down" },
	{ P, "[a]\ncpus_allowed=0,9\n", 2, 16, "does not exist" },
	{ P, "[a]\nbssplit=4k/60:8k/60\n", 2, 9, "120%" },
	{ P, "[a]\nbssplit=4k/60:8k/30\n", 2, 9, "90%" },
	{ P, "[a]\nrw=randread\nrandom_distribution=zipf:1\n", 3, 21, "theta 1" },
	{ P, "[a]\nrw=randread\nrandom_distribution=zoned:60\n", 3, 27, "ACCESS/SIZE" },
	{ P, "[a]\nrw=randread\nrandom_distribution=zoned:60/10:60/90\n", 3, 21, "120%" },
	{ P, "[a]\nrw=randread\nrandom_distribution=zoned:100/0:0/100\n", 3, 21, "no size" },
	{ P, "[a]\nrange=75%\n", 2, 7, "FROM..TO" },
	{ P, "[a]\nrange=75%..10%\n", 2, 7, "empty" },
	{ P, "[a]\nrange=1g/2048\n", 2, 7, "segments need a share" },
	/* rates and times that can't work */
	{ F, "[a]\nrate=50.49\nbs=4096\nruntime=30\n", 2, 1, "not even one I/O" },
	{ P, "[a]\nrate=50\nruntime=30\n", 2, 1, "not even one I/O" },
	{ P, "[a]\narrival=constant:0\n", 2, 18, "above 0" },
	{ P, "[a]\narrival=constant\n", 2, 9, "needs a rate" },
	{ P, "[a]\narrival=poisson:60%@b\n", 2, 21, "no step is called \"b\"" },
	{ P, "[a]\nruntime=3\n[b]\narrival=poisson:60%@b\n", 4, 21, "no load that ran before" },
	/* contradictions */
	{ P, "[a]\nbs=4k\nbs=8k\n", 3, 1, "first in line 2" },
	{ P, "[a]\nbs=4k\nbssplit=4k/50:8k/50\n", 3, 1, "contradicts bs in line 2" },
	{ P, "[a]\ndirect=1\nbuffered=1\n", 3, 1, "contradicts direct" },
	{ P, "[a]\nrw=rw\nrwmixread=70\nrwmixwrite=70\n", 4, 1, "contradicts rwmixread" },
	{ P, "[a]\nrate=1m\nrate_iops=5\n", 3, 1, "contradicts rate" },
	{ P, "[a]\nvary.bs=4k 8k\nbs=4k\n", 3, 1, "contradicts the sweep in line 2" },
	{ P, "[a]\nvary.bs=4k 8k\nvary.blocksize=4k\n", 3, 1, "swept in line 2" },
	{ P, "[a]\nruntime=3\nuntil=time:3s\n", 2, 1, "until in line 3" },
	{ P, "[a]\nduty=1s/1s*3\nuntil=time:3s\n", 3, 1, "contradicts duty" },
	{ P, "[a]\niodepth=4\niodepth_batch_submit=8\n", 3, 1, "larger than iodepth" },
	{ P, "[a]\niodepth=8\niodepth_batch_complete_min=4\niodepth_batch_complete_max=2\n", 4, 1,
	  "smaller than" },
	{ P, "[a]\nrw=randread\nnorandommap=0\nrandom_distribution=zipf\n", 3, 1, "contradicts" },
	{ P, "[a]\nrw=randread\noffset=continue\n", 3, 1, "sequential" },
	{ P, "[a]\nkind=fill\nrw=read\n", 3, 1, "only writes" },
	/* stop rules */
	{ P, "[a]\nuntil=drop:30%\n", 2, 1, "may never be met" },
	{ P, "[a]\nuntil=steady\n", 2, 1, "may never be met" },
	{ P, "[a]\nrw=read\nuntil=written:2x\n", 3, 1, "doesn't write" },
	{ P, "[a]\nrw=write\nuntil=writen:2x\n", 3, 7, "did you mean written?" },
	{ P, "[a]\nrw=write\nuntil=written\n", 3, 7, "needs a value" },
	{ P, "[a]\nrw=write\nuntil=written:0x\n", 3, 15, "0 is not accepted" },
	{ P, "[a]\nrw=write\nuntil=time:1h written:0\n", 3, 23, "0 is not accepted" },
	{ P, "[a]\nmax=time:3s\n", 2, 1, "without until" },
	{ P, "[a]\nuntil=time:1h\nmax=25\n", 3, 1, "rounds" },
	{ P, "[a]\nuntil=snia:31m/1m\n", 2, 12, "not longer than its period" },
	{ P, "[a]\nuntil=\n", 2, 7, "missing" },
	{ P, "[a]\nduty=5s\n", 2, 6, "ON/OFF*TIMES" },
	{ P, "[a]\ninterval=1ms\n", 2, 10, "10ms" },
	{ P, "[a]\ngive_up=9s\n", 2, 9, "at least 10s, or 0" },
	/* sections */
	{ P, "bs=4k\n[a]\n", 1, 1, "before the first [section]" },
	{ P, "[a\nbs=4k\n", 1, 1, "] is missing" },
	{ P, "  []\n", 1, 3, "no name" },
	{ P, "[a] b\n", 1, 5, "comment" },
	{ P, "[a]\n=4k\n", 2, 1, "key is missing" },
	{ P, "[a]\n[b]\n[a]\n", 3, 1, "already" },
	{ P, "[a23456789012345678901234567890123456789012345678901234567890123]\n[b]\nbs=\xff\n", 3, 4,
	  "UTF-8" },
	{ P, "[a234567890123456789012345678901234567890123456789012345678901234]\n", 1, 1, "64 bytes" },
	{ P, "[a]\nbs=4k\x01\n", 2, 6, "control character" },
	{ P, "", 0, 0, "no step" },
	{ F, "[global]\nbs=4k\n", 0, 0, "no step" },
	{ P, "[a]\nkind=lod\n", 2, 6, "did you mean load?" },
	{ P, "[a]\nkind=idle\n", 1, 1, "needs runtime" },
	{ P, "[a]\nkind=note\n", 1, 1, "needs text" },
	{ P, "[a]\nkind=mkfs\n", 1, 1, "needs fs" },
	{ P, "[global]\nuntil=time:1s\n[a]\n", 2, 1, "step's own section" },
	{ P, "[a]\nreport=x\n", 2, 1, "[global]" },
	/* groups, references */
	{ P, "[a]\nin=g\n", 2, 4, "no group called \"g\"" },
	{ P, "[rounds]\nkind=group\n[a]\nin=round\n", 4, 4, "did you mean rounds?" },
	{ P, "[b]\n[a]\nin=b\n", 3, 4, "no group" },
	{ P, "[g]\nkind=group\n", 1, 1, "no steps" },
	{ P, "[g]\nkind=group\n[a]\nin=g\n[b]\n[c]\nin=g\n", 7, 4, "b stands between" },
	{ P, "[g]\nkind=group\nuntil=snia\n[a]\nin=g\n", 3, 1, "track=" },
	{ P, "[g]\nkind=group\nuntil=snia\ntrack=b iops\n[a]\nin=g\n", 4, 7, "no step called \"b\"" },
	{ P, "[g]\nkind=group\nuntil=snia\ntrack=a\n[a]\nin=g\n", 4, 8, "figure is missing" },
	{ P, "[g]\nkind=group\nuntil=snia\ntrack=a[bs=8k] iops\n[a]\nin=g\nvary.bs=4k 16k\n", 4, 7,
	  "no point [bs=8k]" },
	{ P, "[g]\nkind=group\nuntil=snia\ntrack=a iops\n[a]\nin=g\nvary.bs=4k 16k\n", 4, 7,
	  "2 such points" },
	{ P, "[g]\nkind=group\nuntil=snia:1m/31m\ntrack=a iops\n[a]\nin=g\n", 3, 1, "rounds" },
	{ P, "[a]\nbs=@foo\n", 2, 4, "@foo" },
	{ P, "[a]\nnumjobs=@x.numjobs\n", 2, 9, "no pick" },
	{ P, "[a]\nnumjobs=@x.numjobs\n[b]\nvary.numjobs=1 2\npick.x=b max iops\n", 2, 9, "further down" },
	{ P, "[a]\nvary.bs=4k 8x\n", 2, 12, "no size" },
	{ P, "[a]\nvary.wait=1s 2s\n", 2, 1, "@wait" },
	{ P, "[a]\nvary.kind=load fill\n", 2, 1, "can't be swept" },
	{ P, "[a]\nvary.numjobs/iodepth=1/1 2\n", 2, 26, "2 values" },
	{ P, "[a]\nvary.iodepth=0..8*2\n", 2, 14, "upwards" },
	{ P, "[a]\nvary.iodepth=1..8*1\n", 2, 19, "out of range" },
	{ P, "[a]\nvary.iodepth=\n", 2, 14, "needs values" },
	{ P, "[global]\nvary.bs=4k\n[a]\n", 2, 1, "step's own section" },
	{ P, "[a]\nbs=@b\nvary.b=@c\nvary.c=@b\n", 2, 4, "each other" },
	{ P, "[a]\nwith=b\n[b]\n", 2, 6, "above" },
	{ P, "[a]\n[b]\nwith=a\n[c]\nwith=b\n", 5, 6, "name that one: a" },
	{ P, "[a]\n[b]\nwith=a\nvary.bs=4k 8k\n", 4, 1, "runs with" },
	{ P, "[a]\nuntil=time:1s\n[b]\nwith=a\nrepeat=2\n", 5, 1, "runs with" },
	{ P, "[a]\n[b]\non=a\n", 3, 4, "makes no file system" },
	/* words */
	{ P, "[a]\nexpect=p99.9\n", 2, 8, "FIGURE<LIMIT" },
	{ P, "[a]\nexpect=read.p99.9<1\n", 2, 19, "needs a unit" },
	{ P, "[a]\nexpect=read.pmax<1ms\n", 2, 13, "not known" },
	{ P, "[a]\nexpect=read.p100<1ms\n", 2, 13, "percentile" },
	{ P, "[a]\nexpect=read.service.iops>5\n", 2, 8, "no time" },
	{ P, "[a]\nrw=read\nexpect=write.iops>5\n", 3, 8, "no write" },
	{ P, "[a]\nvary.bs=4k 8k\npick.m=a best iops\n", 3, 10, "max, mid, min" },
	{ P, "[a]\nrepeat=0\n", 2, 8, "1 to" },
	{ P, "[g]\nkind=group\nrepeat=2\n[a]\nin=g\n", 3, 1, "kind=group" },
	{ P, "[a]\nkind=purge\nmethod=trimm\n", 3, 8, "did you mean trim?" },
};

static void mistakes_are_named_with_line_and_column(void **state)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct row *row = &rows[i];
		struct fault fault = { 0 };

		if (plan_fault(row->dialect, row->text, &fault) != -22)
			fail_msg("row %zu was accepted:\n%s", i, row->text);
		if (fault.line != row->line || fault.column != row->column || !strstr(fault.text, row->says))
			fail_msg("row %zu: %u:%u \"%s\", expected %u:%u ...%s...\n%s", i, fault.line,
				 fault.column, fault.text, row->line, row->column, row->says, row->text);
		assert_string_equal(fault.source, "text");
	}
}

static void a_fault_may_be_left_out(void **state)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_int_equal(plan_fault(rows[i].dialect, rows[i].text, NULL), -22);
}

static void commands_need_permission(void **state)
{
	struct plan_options options = options_of(PLAN_NATIVE);
	struct fault fault = { 0 };
	struct plan *plan = NULL;

	options.allow_commands = false;
	assert_int_equal(plan_parse("[a]\nkind=app\ncommand=true\n", &options, &plan, &fault), -22);
	assert_non_null(strstr(fault.text, "--allow-commands"));
	options.allow_commands = true;
	plan = plan_of_options(&options, "[a]\nkind=app\ncommand=true\n");
	assert_true(plan->runs_commands);
	plan_free(plan);
}

static void ten_thousand_points_are_the_limit(void **state)
{
	struct fault fault = { 0 };
	struct plan *plan;

	plan = plan_of(PLAN_NATIVE, "[a]\nvary.bs=4k 8k 16k 32k\nvary.iodepth=1 2 3 4 5\nrepeat=500\n");
	assert_int_equal(plan->measurement_total, 10000);
	assert_int_equal(plan->point_total, 20);
	plan_free(plan);
	assert_int_equal(plan_fault(PLAN_NATIVE,
				    "[b]\n[a]\nvary.bs=4k 8k 16k 32k\nvary.iodepth=1 2 3 4 5\nrepeat=500\n",
				    &fault),
			 -22);
	assert_non_null(strstr(fault.text, "10000"));
	assert_int_equal(fault.line, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mistakes_are_named_with_line_and_column),
		cmocka_unit_test(a_fault_may_be_left_out),
		cmocka_unit_test(commands_need_permission),
		cmocka_unit_test(ten_thousand_points_are_the_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
