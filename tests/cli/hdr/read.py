"""Reads an HdrHistogram log (format 1.3, V2 histograms) by nothing but the format's public description, and prints what is in
it: read.py LOG. A line is [Tag=TAG,]START,LENGTH,MAX,BASE64; the base64 text is a cookie, a length and a zlib stream of a header
and of zig-zag LEB128 counts, one a slot, where -n stands for n empty slots."""
import base64
import json
import struct
import sys
import zlib

PERCENTILES = [50, 90, 99, 99.9]


def whole_numbers(data):
    at = 0
    while at < len(data):
        value = shift = 0
        for place in range(9):
            byte = data[at]
            at += 1
            value |= (byte if place == 8 else byte & 0x7F) << shift
            shift += 7
            if place == 8 or byte < 0x80:
                break
        yield (value >> 1) ^ -(value & 1)


def slots_of(text):
    """The histogram's sub-buckets and {slot: count}."""
    packed = base64.b64decode(text, validate=True)
    cookie, size = struct.unpack(">II", packed[:8])
    assert cookie & ~0xF0 == 0x1C849304, hex(cookie)
    assert size == len(packed) - 8
    plain = zlib.decompress(packed[8:])
    cookie, size, offset, digits, lowest, highest, ratio = struct.unpack(">IIIIqqd", plain[:40])
    assert cookie & ~0xF0 == 0x1C849303, hex(cookie)
    assert (offset, lowest, ratio) == (0, 1, 1.0) and size == len(plain) - 40
    sub_buckets = 1
    while sub_buckets < 2 * 10 ** digits:
        sub_buckets *= 2
    slots, slot = {}, 0
    for count in whole_numbers(plain[40:]):
        if count < 0:
            slot -= count
        else:
            slots[slot] = count
            slot += 1
    assert all(value_range(s, sub_buckets)[0] <= highest for s in slots)
    return sub_buckets, slots


def value_range(slot, sub_buckets):
    """Lowest and highest value that are counted in this slot."""
    half = sub_buckets // 2
    bucket = max(slot // half - 1, 0)
    low = (slot - bucket * half) << bucket
    return low, low + (1 << bucket) - 1


def highest_used(slots, sub_buckets):
    return value_range(max(slots), sub_buckets)[1]


def at_percentile(slots, sub_buckets, percentile):
    need, seen = -(-sum(slots.values()) * percentile // 100), 0
    for slot in sorted(slots):
        seen += slots[slot]
        if seen >= need:
            return value_range(slot, sub_buckets)[1]


def middle(slot, sub_buckets):
    """What the format's own programs take a slot's values for, when they work out the mean."""
    low, high = value_range(slot, sub_buckets)
    return low + (high - low + 1) // 2


def main():
    lines, every, sub_buckets = [], {}, 0
    for line in open(sys.argv[1], encoding="utf-8"):
        if line[0] in '#"':
            continue
        tag, _, seconds, _, text = line.strip().split(",")
        sub_buckets, slots = slots_of(text)
        for slot, count in slots.items():
            every[slot] = every.get(slot, 0) + count
        lines.append({"tag": tag.removeprefix("Tag="), "seconds": float(seconds), "n": sum(slots.values()),
                      "max": highest_used(slots, sub_buckets)})
    n = sum(every.values())
    print(json.dumps({
        "lines": lines, "n": n, "max": highest_used(every, sub_buckets),
        "mean": round(sum(middle(slot, sub_buckets) * count for slot, count in every.items()) / n),
        "percentiles": [{"p": p, "value": at_percentile(every, sub_buckets, p)} for p in PERCENTILES]}))


main()
