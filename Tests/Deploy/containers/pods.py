#!/usr/bin/env python3
"""Starts each container of the objects of deploy/kubernetes from its image, as the objects say, and nothing else:

    pods.py small|production    in the order of docs/deploy.md: keys, topics and migrations, services; each Job must end
                                well, each service become ready under its probes, and end well when it is told to
    pods.py wrong               an overlay with wrong values: each container must name all of its own at once

Tests/Deploy/containers/run has made the images and podman's settings.
"""

import concurrent.futures
import pathlib
import re
import sys
import tempfile
import time

import catalogue
import podman
import wrong
from cluster import Cluster
from pod import Pod
from standins import StandIns
from volumes import Volumes

# How long a service that lives may need until it is ready, and how long a Job may be tried again, in seconds.
READY, AGAIN = 180, 60


def at_once(function, pods):
    """Calls a function with each pod, side by side. What fails is told together, each time the problem after what the
    container said: the end of a long text is what is kept."""
    problems = []
    with concurrent.futures.ThreadPoolExecutor(max_workers=len(pods)) as pool:
        for future in [pool.submit(function, pod) for pod in pods]:
            try:
                print(future.result(), flush=True)
            except SystemExit as problem:
                problems.append(str(problem))
    if problems:
        raise SystemExit("\n".join(problems))


def complete(pod):
    """A Job, or what a CronJob starts: init containers, then containers, one after the other, again if it fails."""
    begun, job, said = time.monotonic(), pod.object, ""
    for container in pod.spec.get("initContainers", []) + pod.spec["containers"]:
        for attempt in range(1, job.get("backoffLimit", 6) + 2):
            status, text = pod.finish(container, job["activeDeadlineSeconds"])
            if status == 0:
                break
            if time.monotonic() - begun > AGAIN:
                raise SystemExit(f"{text[-3000:]}\n{pod}, {container['name']}: status {status} at attempt {attempt}")
            time.sleep(attempt)
        else:
            raise SystemExit(f"{text[-3000:]}\n{pod}, {container['name']}: status {status} at the last attempt")
        said += text
    return f"{pod}: ended well after {time.monotonic() - begun:.1f} s\n{said.strip()}"


def serve(pod):
    """A service from its start until it is ready; one container, as all of them have."""
    (container,) = pod.spec["containers"]
    begun, name, startup = time.monotonic(), pod.name_of(container), container["startupProbe"]
    pod.start(container)
    limits = {"startupProbe": startup["periodSeconds"] * startup["failureThreshold"], "readinessProbe": READY}
    for probe, limit in limits.items():
        until = time.monotonic() + limit
        while not (answered := pod.ask(container, probe))[0]:
            if podman.inspect(pod.name_of(container), "{{.State.Running}}") != "true" or time.monotonic() > until:
                raise SystemExit(f"{podman.logs(name)}\n{pod}: no good answer to its {probe}: {answered[1]}")
            time.sleep(0.3)
    is_alive, text = pod.ask(container, "livenessProbe")
    if not is_alive:
        raise SystemExit(f"{pod}: would be started again: {text}")
    is_confined(pod, container)
    return f"{pod}: ready after {time.monotonic() - begun:.1f} s"


def is_confined(pod, container):
    """What the kernel and podman say of it, so that a service is ready within its limits and not beside them."""
    pid = podman.inspect(pod.name_of(container), "{{.State.Pid}}")
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    user = str(pod.spec["securityContext"]["runAsUser"])
    wanted = {"Uid": user, "CapBnd": "0" * 16, "NoNewPrivs": "1", "Seccomp": "2"}
    said = {name: re.search(rf"^{name}:\s*(\S+)", status, re.M).group(1) for name in wanted}
    limits = podman.inspect(pod.name_of(container), "{{.HostConfig.Memory}} {{.HostConfig.ReadonlyRootfs}}")
    if said != wanted or limits != f"{pod.memory(container)} true":
        raise SystemExit(f"{pod}: runs with {said}, and with memory and read-only root {limits}")


def end(pod):
    """SIGTERM, and the time that the object gives it."""
    (container,) = pod.spec["containers"]
    begun, grace = time.monotonic(), pod.spec["terminationGracePeriodSeconds"]
    podman.run("stop", "--time", grace, pod.name_of(container))
    status = podman.inspect(pod.name_of(container), "{{.State.ExitCode}} {{.State.OOMKilled}}")
    if status != "0 false":
        raise SystemExit(f"{podman.logs(pod.name_of(container))}\n{pod}: ended with {status}")
    return f"{pod}: ended well in {time.monotonic() - begun:.1f} s"


def play(overlay, folder):
    cluster, volumes = Cluster(overlay), Volumes(folder)
    with StandIns(overlay, volumes) as servers:
        pods = [Pod(cluster, each, spec, volumes, servers.network) for each, _, spec in cluster.pods()]
        of = {kind: [pod for pod in pods if pod.kind == kind] for kind in {pod.kind for pod in pods}}
        services = of["StatefulSet"] + of["Deployment"]
        try:
            at_once(complete, of["CronJob"])
            servers.make_databases()
            servers.wait_for_brokers()
            at_once(complete, of["Job"])
            at_once(serve, services)
            at_once(end, services)
        finally:
            podman.remove([pod.name_of(container) for pod in services for container in pod.spec["containers"]])
    print(f"{overlay}: each of {len(pods)} pods runs from its images")


def main():
    for name in catalogue.PROGRAMS:
        # The name that the overlays give to the image of this version.
        image = f"docker.io/orchard/{name}:local"
        version = podman.run("run", "--rm", "--network", "none", image, "--version").split()[1]
        podman.run("tag", image, f"registry.example/orchard/{name}:{version}")
    with tempfile.TemporaryDirectory(prefix="pods-", dir=catalogue.ROOT / ".build/containers") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        if sys.argv[1] == "wrong":
            wrong.play(folder)
        else:
            play(sys.argv[1], folder)


if __name__ == "__main__":
    main()
