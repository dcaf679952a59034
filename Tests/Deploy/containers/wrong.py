"""An overlay with wrong values, as a person writes them: each container stops and names all of its own at once."""

import re
import shutil

import cluster
import podman
from pod import Pod
from volumes import Volumes

# What is written in the overlay `small`, what stands there instead, and in which of its files.
MISTAKES = [
    ("kustomization.yaml", "KAFKA_PARTITIONS=12", "KAFKA_PARTITIONS=many"),
    ("kustomization.yaml", "UNIONPAY_URL=https://gateway.95516.com", "UNIONPAY_URL=gateway"),
    ("setup/kustomization.yaml", "KAFKA_PARTITIONS=12", "KAFKA_PARTITIONS=0"),
    ("setup/kustomization.yaml", "KAFKA_REPLICATION_FACTOR=1", "KAFKA_REPLICATION_FACTOR=none"),
]
# Files that are forgotten in a secret.
FORGOTTEN = [
    ("orchard-pci/charge-gateway-merchants", "unionpay-middle.pem"),
    ("orchard/order-ledger-ticket-key", "ticket.pem"),
]
# The settings that each container must name.
EXPECTED = {
    "token-ingest": {"kafka.partitions", "contact.keys", "sealing.keys"},
    "charge-gateway": {"kafka.partitions", "sealing.keys", "unionpay.url", "unionpay.middle"},
    "order-ledger": {"kafka.partitions", "contact.keys", "ticket.signing.key"},
    "topics": {"kafka.partitions", "kafka.replication.factor"},
}


def play(folder):
    shutil.copytree(cluster.FOLDER, folder / "kubernetes")
    for name, before, after in MISTAKES:
        path = folder / "kubernetes/overlays/small" / name
        text = path.read_text()
        if before not in text:
            raise SystemExit(f"{name} has no {before}")
        path.write_text(text.replace(before, after))
    overlay, volumes = cluster.Cluster("small", folder / "kubernetes"), Volumes(folder)
    for secret, name in FORGOTTEN:
        del volumes.files[secret][name]
    pods = [Pod(overlay, each, spec, volumes, "none") for each, _, spec in overlay.pods()]
    containers = {container["name"]: (pod, container) for pod in pods for container in pod.spec["containers"]}
    for name, settings in EXPECTED.items():
        refuses(*containers[name], settings)


def refuses(pod, container, settings):
    status, said = podman.finish("run", "--rm", *pod.arguments(container), timeout=30)
    named = re.findall(r"^  ([a-z._]+): ", said, re.M)
    if status != 2 or set(named) != settings or "problems in the configuration" not in said:
        raise SystemExit(f"{pod}: status {status}, and it must name {settings}:\n{said[-3000:]}")
    print(f"{pod}: refuses {', '.join(named)}")
