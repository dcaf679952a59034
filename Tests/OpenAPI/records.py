"""Compares every record of the broker at KAFKA_BOOTSTRAP_SERVERS with docs/asyncapi.yaml, and counts them by type."""

import collections
import os
import sys

import confluent_kafka
import descriptions

consumer = confluent_kafka.Consumer({
    "bootstrap.servers": os.environ["KAFKA_BOOTSTRAP_SERVERS"], "group.id": "records", "enable.auto.commit": False})
counts, faults = collections.Counter(), []
topics = consumer.list_topics(timeout=10).topics.values()
ends = {}
for topic in topics:
    for partition in topic.partitions:
        place = confluent_kafka.TopicPartition(topic.topic, partition, 0)
        low, high = consumer.get_watermark_offsets(place, timeout=10)
        if high > low:
            ends[topic.topic, partition] = high
consumer.assign([confluent_kafka.TopicPartition(*place, 0) for place in ends])
while ends:
    record = consumer.poll(10)
    if record is None or record.error():
        sys.exit(f"Kafka does not answer: {record and record.error()}")
    headers = {name: value.decode() for name, value in record.headers() or []}
    counts[record.topic(), headers.get("ce_type")] += 1
    wrong = descriptions.record_fault(
        record.topic(), (record.key() or b"").decode(), headers, record.value().decode())
    if wrong:
        faults.append(f"P{record.partition()}@{record.offset()}: {wrong}")
    place = record.topic(), record.partition()
    if ends.get(place, 0) <= record.offset() + 1:
        ends.pop(place, None)
consumer.close()

print("\n--- records in Kafka")
for (topic, name), count in sorted(counts.items()):
    print(f"{count:6} {topic:22} {name}")
unseen = [channel["address"] for channel in descriptions.document("asyncapi.yaml")["channels"].values()
          if not channel["address"].endswith(".dlq") and channel["address"] not in {topic for topic, _ in counts}]
faults += [f"{topic} has no record" for topic in unseen]
print("\n".join(faults[:20]) or "every record is as it is described")
sys.exit(1 if faults else 0)
