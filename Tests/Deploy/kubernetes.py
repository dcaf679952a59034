#!/usr/bin/env python3
"""Holds deploy/kubernetes: kubectl renders the overlays, Kubernetes' schemas take each object, the programs take each
container's command and environment, and pods, ports, policies, budgets and scalers fit together and to SECURITY.md.
"""

import os
import re
import subprocess
import sys
import tempfile

import yaml

import catalogue
import pypi
from cluster import OVERLAYS, Cluster, matches, where

# Kubernetes' versions whose schemas the objects are held against.
VERSIONS = ["1.28", "1.33"]
ZONES = {"token-ingest": "orchard-pci", "charge-gateway": "orchard-pci", "order-ledger": "orchard"}
# SECURITY.md: who may be reached from where, and reach what. Everything else is closed.
ALLOWED = {
    "token-ingest": ({("ingress", 8081), ("monitoring", 9081)}, {("dns", 53), ("kafka", 9093), ("internet", 443)}),
    "charge-gateway": (
        {("ingress", 8082), ("monitoring", 9082)},
        {("dns", 53), ("kafka", 9093), ("database", 5432), ("internet", 443)},
    ),
    "order-ledger": (
        {("ingress", 8083), ("monitoring", 9083)},
        {("dns", 53), ("kafka", 9093), ("database", 5432), ("internet", 443)},
    ),
    "topics": (set(), {("dns", 53), ("kafka", 9093)}),
    "charge-gateway-migrate": (set(), {("dns", 53), ("database", 5432)}),
    "order-ledger-migrate": (set(), {("dns", 53), ("database", 5432)}),
    "sealing-keys": (set(), set()),
    "contact-keys": (set(), set()),
}
PRIVATE = {"10.0.0.0/8", "100.64.0.0/10", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16"}


def program_of(container):
    return container["image"].split("/")[-1].split(":")[0]


def is_confined(each, pod):
    """What each pod must be."""
    security = pod.get("securityContext", {})
    if not (
        security.get("runAsNonRoot")
        and security.get("runAsUser", 0) > 0
        and security.get("seccompProfile", {}).get("type") == "RuntimeDefault"
    ):
        yield "may run as root, or without a filter of system calls"
    if pod.get("automountServiceAccountToken") is not False or pod.get("enableServiceLinks") is not False:
        yield "gets a token or variables of the cluster"
    for container in pod.get("initContainers", []) + pod["containers"]:
        own = container.get("securityContext", {})
        if (
            own.get("allowPrivilegeEscalation") is not False
            or not own.get("readOnlyRootFilesystem")
            or own.get("capabilities") != {"drop": ["ALL"]}
        ):
            yield f"{container['name']} has more rights than it needs, or a root that can be written"
        if "memory" not in container.get("resources", {}).get("limits", {}) or "cpu" not in container["resources"].get(
            "requests", {}
        ):
            yield f"{container['name']} has no limit of memory, or asks for no CPU"
        if not re.search(r":[0-9]", container["image"]):
            yield f"{container['name']} has an image without a version"
    if each["kind"] in ("Job", "CronJob"):
        spec = each["spec"]["jobTemplate"]["spec"] if each["kind"] == "CronJob" else each["spec"]
        if "activeDeadlineSeconds" not in spec:
            yield "may run for ever"


def is_startable(cluster, each, pod, container):
    """Whether the program takes command and environment. Only files are missing: each must be in a mounted folder."""
    program, namespace = program_of(container), each["metadata"]["namespace"]
    words = container["args"]
    command = [program] + [word for word in words if re.fullmatch(r"[a-z][a-z-]*", word)]
    page = catalogue.help_of(*command)
    if "\nUsage: " not in page:
        yield f"there is no command {' '.join(command)}"
        return
    yield from (
        f"{' '.join(command)} has no {word}" for word in words if word.startswith("--") and f"  {word}" not in page
    )
    environment = cluster.environment(namespace, container)
    known, _ = catalogue.variables(*command)
    yield from (
        f"{' '.join(command)} reads no {name}"
        for name in environment
        if name not in known and not (name.startswith("KAFKA_PROPERTIES_") and "KAFKA_PROPERTIES_NAME" in known)
    )
    mounts = {mount["name"]: mount["mountPath"] for mount in container.get("volumeMounts", [])}
    volumes = {volume["name"] for volume in pod.get("volumes", [])}
    yield from (f"mounts {name}, which is no volume" for name in mounts if name not in volumes)
    paths = [value for value in list(environment.values()) + words if value.startswith("/")]
    yield from (
        f"{path} is in no mounted folder"
        for path in paths
        if not any(path.startswith(folder + "/") for folder in mounts.values())
    )
    if not environment:
        return
    # TLS needs files that are there: librdkafka looks for them later than the settings are read.
    plain = {name: value for name, value in environment.items() if not name.startswith("KAFKA_PROPERTIES_SSL")} | {
        "PATH": "/usr/bin"
    }
    with tempfile.TemporaryDirectory() as folder:
        result = subprocess.run(
            [catalogue.program(program), *words],
            env=plain,
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    found = [line for line in result.stderr.splitlines() if line.startswith("  ")]
    # There is no Kafka either, and `topics create` asks it at once.
    found = [line for line in found if "no broker answers at" not in line]
    other = [
        line
        for line in found
        if not any(f'"{path}" does not exist' in line or f"file {path} " in line for path in paths)
    ]
    if other:
        yield "the program refuses its settings:\n" + "\n".join(other)
    if command[1] in ("serve", "migrate") and not found:
        yield f"the program was expected to look for its files:\n{result.stdout}{result.stderr}"


def policies(cluster):
    """Who may be reached from where and reach what, from the policies, by the name of the pod."""
    found = {}
    for each, labels, _ in cluster.pods():
        namespace, into, out, chosen = each["metadata"]["namespace"], set(), set(), 0
        for policy in cluster.of("NetworkPolicy"):
            if policy["metadata"]["namespace"] != namespace or not matches(policy["spec"]["podSelector"], labels):
                continue
            chosen += sorted(policy["spec"]["policyTypes"]) == ["Egress", "Ingress"]
            for edges, rules, side in [(into, "ingress", "from"), (out, "egress", "to")]:
                for rule in policy["spec"].get(rules, []):
                    for peer in rule[side]:
                        for port in rule["ports"]:
                            edges.add((named(peer), port["port"]))
        if not chosen:
            into.add(("everybody", 0))
        found[labels["app.kubernetes.io/name"]] = (into, out)
    return found


def named(peer):
    """A peer of a policy as one word."""
    if "ipBlock" in peer:
        return "internet" if set(peer["ipBlock"].get("except", [])) >= PRIVATE else "every address"
    labels = peer.get("namespaceSelector", {}).get("matchLabels", {})
    if set(peer) != {"namespaceSelector"} or len(labels) != 1:
        return str(peer)
    return (
        "dns" if labels == {"kubernetes.io/metadata.name": "kube-system"} else labels.get("orchard/role", str(labels))
    )


def fits(cluster):
    """What belongs together."""
    pods = list(cluster.pods())
    problems = []
    for each, labels, pod in pods:
        problems += [f"{where(each)}: {text}" for text in is_confined(each, pod)]
        for container in pod.get("initContainers", []) + pod["containers"]:
            problems += [
                f"{where(each)}, {container['name']}: {text}" for text in is_startable(cluster, each, pod, container)
            ]
            program = program_of(container)
            if ZONES[program] != each["metadata"]["namespace"]:
                problems.append(f"{where(each)}: {program} belongs to {ZONES[program]}")
        for volume in pod.get("volumes", []):
            claim = volume.get("persistentVolumeClaim", {}).get("claimName")
            if claim and (each["metadata"]["namespace"], claim) not in cluster.names("PersistentVolumeClaim"):
                problems.append(f"{where(each)}: there is no claim {claim}")
        account = pod.get("serviceAccountName")
        if account and (each["metadata"]["namespace"], account) not in cluster.names("ServiceAccount"):
            problems.append(f"{where(each)}: there is no account {account}")
        if each["kind"] in ("Deployment", "StatefulSet"):
            problems += worker(each, labels, pod["containers"][0])
    for each in cluster.of("Service", "PodDisruptionBudget"):
        selector = {"matchLabels": each["spec"]["selector"]} if each["kind"] == "Service" else each["spec"]["selector"]
        chosen = [
            pod
            for one, labels, pod in pods
            if one["metadata"]["namespace"] == each["metadata"]["namespace"] and matches(selector, labels)
        ]
        if not chosen:
            problems.append(f"{where(each)}: chooses no pod")
        for port in each["spec"].get("ports", []):
            for pod in chosen:
                if port["targetPort"] not in [one["name"] for one in pod["containers"][0]["ports"]]:
                    problems.append(f"{where(each)}: its pods have no port {port['targetPort']}")
    for each in cluster.of("ServiceMonitor"):
        services = [
            one
            for one in cluster.of("Service")
            if one["metadata"]["namespace"] == each["metadata"]["namespace"]
            and matches(each["spec"]["selector"], one["metadata"].get("labels", {}))
        ]
        for endpoint in each["spec"]["endpoints"]:
            if [port["name"] for one in services for port in one["spec"]["ports"]] != [endpoint["port"]]:
                problems.append(f"{where(each)}: finds no one service with the port {endpoint['port']}")
        if each["spec"].get("jobLabel") != "app.kubernetes.io/name":
            problems.append(f"{where(each)}: gives Prometheus another job than the service's name")
    for name, edges in policies(cluster).items():
        if name not in ALLOWED:
            problems.append(f"SECURITY.md says nothing of {name}")
        elif edges != ALLOWED[name]:
            problems.append(f"{name}: its policies let {edges}, and must let {ALLOWED[name]}")
    return problems + list(scalers(cluster))


def worker(each, labels, container):
    """A worker's name at Kafka, probes, and the ports of the programs."""
    program = program_of(container)
    has_name = any(one["name"] == "KAFKA_MEMBER" for one in container["env"])
    if has_name != (each["kind"] == "StatefulSet"):
        yield f"{where(each)}: a worker of a StatefulSet has its name at Kafka, and no other"
    defaults = dict(re.findall(r"--(http|admin)-port\n.*\n.*default (\d+)", catalogue.help_of(program, "serve")))
    if {port["name"]: str(port["containerPort"]) for port in container["ports"]} != defaults:
        yield f"{where(each)}: its ports are not {defaults}"
    paths = {
        probe: container.get(probe, {}).get("httpGet", {}).get("path")
        for probe in ("startupProbe", "livenessProbe", "readinessProbe")
    }
    if paths != {"startupProbe": "/healthz", "livenessProbe": "/healthz", "readinessProbe": "/readyz"}:
        yield f"{where(each)}: its probes are {paths}"
    if each["spec"]["selector"]["matchLabels"].items() - labels.items():
        yield f"{where(each)}: does not choose its own pods"


def scalers(cluster):
    """KEDA's objects name workloads, groups and topics that exist, and never more workers than partitions."""
    channels = yaml.safe_load((catalogue.ROOT / "docs/asyncapi.yaml").read_text())["channels"].values()
    topics = {channel["address"] for channel in channels}
    acls = subprocess.run([catalogue.ROOT / "deploy/kafka/acls"], capture_output=True, text=True, check=True).stdout
    groups = set(re.findall(r"--group (\S+)", acls))
    for each in cluster.of("ScaledObject"):
        namespace, spec = each["metadata"]["namespace"], each["spec"]
        target = [
            one
            for one in cluster.of("Deployment")
            if (one["metadata"]["namespace"], one["metadata"]["name"]) == (namespace, spec["scaleTargetRef"]["name"])
        ]
        if len(target) != 1 or "replicas" in target[0]["spec"]:
            yield f"{where(each)}: scales nothing, or a Deployment that has a number of its own"
            continue
        for trigger in spec["triggers"]:
            if trigger["type"] != "kafka":
                continue
            kafka, container = trigger["metadata"], target[0]["spec"]["template"]["spec"]["containers"][0]
            environment = cluster.environment(namespace, container)
            if kafka["topic"] not in topics or kafka["consumerGroup"] not in groups:
                yield f"{where(each)}: there is no topic {kafka['topic']} or group {kafka['consumerGroup']}"
            if kafka["bootstrapServers"] != environment["KAFKA_BOOTSTRAP_SERVERS"]:
                yield f"{where(each)}: other brokers than its workers'"
            named_workers = next(
                one["spec"]["replicas"]
                for one in cluster.of("StatefulSet")
                if one["metadata"]["name"] == program_of(container)
            )
            if spec["maxReplicaCount"] + named_workers > int(environment["KAFKA_PARTITIONS"]):
                yield f"{where(each)}: more workers than partitions"


def validator():
    """kubernetes-validate from PyPI, which brings the schemas; None where it cannot be had."""
    programs = pypi.environment("kubernetes")
    return programs and programs / "kubernetes-validate"


def secrets(cluster):
    """Each secret that a pod names is in the list of docs/deploy.md, and no other."""
    used = {
        f"{each['metadata']['namespace']}/{volume['secret']['secretName']}"
        for each, _, pod in cluster.pods()
        for volume in pod.get("volumes", [])
        if "secret" in volume
    }
    listed = set(
        re.findall(r"^\| `(orchard(?:-pci)?/[a-z-]+)` \|", (catalogue.ROOT / "docs/deploy.md").read_text(), re.M)
    )
    return [f"docs/deploy.md does not say what {name} holds" for name in used - listed] + [
        f"no pod uses {name}" for name in listed - used
    ]


def main():
    problems, count, validate = [], 0, validator()
    alerts = subprocess.run(
        [catalogue.ROOT / "deploy/prometheus/operator"], capture_output=True, text=True, check=True
    ).stdout
    if (catalogue.ROOT / "deploy/kubernetes/base/alerts.yaml").read_text() != alerts:
        problems.append("base/alerts.yaml is not what deploy/prometheus/operator makes")
    for overlay in OVERLAYS:
        cluster = Cluster(overlay)
        count += len(cluster.objects)
        problems += [f"{overlay}: {text}" for text in fits(cluster) + secrets(cluster)]
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            custom = ("ServiceMonitor", "PrometheusRule", "ScaledObject", "TriggerAuthentication")
            yaml.safe_dump_all([each for each in cluster.objects if each["kind"] not in custom], file)
            file.flush()
            for version in VERSIONS if validate else []:
                result = subprocess.run(
                    [validate, "--strict", "--quiet", "-k", version, file.name],
                    capture_output=True,
                    text=True,
                    check=False,
                )
                if result.returncode != 0:
                    problems.append(f"{overlay}, Kubernetes {version}: {result.stdout}{result.stderr}")
    if problems:
        sys.exit("\n".join(problems))
    if not validate:
        print("NOT HELD against Kubernetes' schemas: kubernetes-validate cannot be installed from PyPI")
        if os.environ.get("CI") == "true":
            sys.exit(1)
    print(
        f"{count} objects of {len(OVERLAYS)} overlays fit together, the programs and Kubernetes {', '.join(VERSIONS)}"
    )


if __name__ == "__main__":
    main()
