# findings: a long write of a simulated drive, and what is concluded from it.

finding() {	# KIND FILTER: of the first finding of that kind, "" when there is none
	result "[.findings[] | select(.kind == \"$1\")][0] | if . then $2 else \"\" end"
}

fill_plan() {	# INTERVAL
	plan fill.plan <<-END
	[clean]
	kind=purge
	[fill]
	rw=write
	bs=128k
	iodepth=32
	interval=$1
	until=written:1x
	END
}
