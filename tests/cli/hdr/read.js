// Reads an HdrHistogram log with hdr-histogram-js and prints what is in it, as read.py does: node read.js LOG
// (NODE_PATH names the folder of packages).
const fs = require("fs");
const hdr = require("hdr-histogram-js");

const PERCENTILES = [50, 90, 99, 99.9];
const reader = new hdr.HistogramLogReader(fs.readFileSync(process.argv[2], "utf8"), 64);
const all = hdr.build({ bitBucketSize: 64, lowestDiscernibleValue: 1, highestTrackableValue: 2 ** 42 - 1, numberOfSignificantValueDigits: 2 });
const lines = [];

for (let one; (one = reader.nextIntervalHistogram()); all.add(one))
	lines.push({ tag: one.tag, seconds: Math.round(one.endTimeStampMsec - one.startTimeStampMsec) / 1000, n: one.totalCount, max: one.maxValue });
console.log(JSON.stringify({
	lines, n: all.totalCount, max: all.maxValue, mean: Math.round(all.mean),
	percentiles: PERCENTILES.map((p) => ({ p, value: all.getValueAtPercentile(p) })),
}));
