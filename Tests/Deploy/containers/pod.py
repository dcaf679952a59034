"""A pod of a rendered object, whose containers podman runs as it says; what this cannot tell podman is a failure."""

import http.client
import json
import re

import podman

# What the parts of a pod may say here. Of a pod, the last four are for the cluster, and not for its containers.
KNOWN = {
    "pod": "containers initContainers securityContext volumes terminationGracePeriodSeconds restartPolicy "
    "serviceAccountName automountServiceAccountToken enableServiceLinks topologySpreadConstraints",
    "container": "name image command args env envFrom ports resources securityContext volumeMounts "
    "startupProbe livenessProbe readinessProbe",
    "security context": "runAsNonRoot runAsUser runAsGroup fsGroup fsGroupChangePolicy seccompProfile "
    "allowPrivilegeEscalation readOnlyRootFilesystem capabilities",
    "mount": "name mountPath readOnly",
    "secret": "secretName defaultMode",
    "claim": "claimName readOnly",
}
# What a cluster fills in.
NAME = {"fieldRef": {"fieldPath": "metadata.name"}}


class Pod:
    def __init__(self, cluster, each, spec, volumes, network):
        self.cluster, self.spec, self.volumes, self.network = cluster, spec, volumes, network
        self.kind, self.namespace = each["kind"], each["metadata"]["namespace"]
        self.name = each["metadata"]["name"] + ("-0" if self.kind == "StatefulSet" else "")
        self.object = each["spec"]["jobTemplate"]["spec"] if self.kind == "CronJob" else each["spec"]
        self._knows("pod", spec)

    def __str__(self):
        return f"{self.kind} {self.namespace}/{self.name}"

    def _knows(self, what, given):
        """Ends the test when an object says what podman would not be told."""
        unknown = set(given) - set(KNOWN[what].split())
        if unknown:
            raise SystemExit(f"{self}: this test does not tell podman of a {what}'s {', '.join(unknown)}")

    def name_of(self, container):
        """Its name at podman."""
        return f"{self.network}-{self.name}-{container['name']}"

    def arguments(self, container):
        """What follows `podman run`."""
        self._knows("container", container)
        if any(each.get("valueFrom", NAME) != NAME for each in container.get("env", [])):
            raise SystemExit(f"{self}: a variable is filled in with something else than the pod's name")
        environment = self.cluster.environment(self.namespace, container, self.name)
        command = container.get("command")
        return [
            *["--name", self.name_of(container), "--hostname", self.name, "--network", self.network],
            # Kubernetes asks its probes, not the image's health check.
            *["--pull", "never", "--no-healthcheck"],
            *self._confinement({**self.spec.get("securityContext", {}), **container.get("securityContext", {})}),
            *["--memory", self.memory(container), "--memory-swap", self.memory(container)],
            *(word for key, value in environment.items() for word in ("--env", f"{key}={value}")),
            *(word for mount in container.get("volumeMounts", []) for word in ("--volume", self._mount(mount))),
            *(["--entrypoint", json.dumps(command)] if command else []),
            *[container["image"], *container.get("args", [])],
        ]

    def _confinement(self, security):
        self._knows("security context", security)
        yield from ("--user", f"{security['runAsUser']}:{security['runAsGroup']}")
        yield from ("--group-add", str(security["fsGroup"]))
        if security.get("seccompProfile", {}).get("type") != "RuntimeDefault":
            yield from ("--security-opt", "seccomp=unconfined")
        if security.get("allowPrivilegeEscalation") is False:
            yield from ("--security-opt", "no-new-privileges")
        if security.get("readOnlyRootFilesystem"):
            # podman would make /tmp and others that can be written; Kubernetes does not.
            yield from ("--read-only", "--read-only-tmpfs=false")
        yield from (f"--cap-drop={each}" for each in security.get("capabilities", {}).get("drop", []))

    @staticmethod
    def memory(container):
        """The limit in bytes."""
        return str(int(re.fullmatch(r"(\d+)Mi", container["resources"]["limits"]["memory"]).group(1)) << 20)

    def _mount(self, mount):
        self._knows("mount", mount)
        volume = next(each for each in self.spec["volumes"] if each["name"] == mount["name"])
        group = self.spec["securityContext"]["fsGroup"]
        is_read_only = mount.get("readOnly", False)
        if "secret" in volume:
            secret = volume["secret"]
            self._knows("secret", secret)
            name = f"{self.namespace}/{secret['secretName']}"
            place, is_read_only = self.volumes.secret(name, secret.get("defaultMode", 0o644), group), True
        elif "persistentVolumeClaim" in volume:
            claim = volume["persistentVolumeClaim"]
            self._knows("claim", claim)
            place = self.volumes.claim(claim["claimName"], group)
            is_read_only = is_read_only or claim.get("readOnly", False)
        else:
            raise SystemExit(f"{self}: this test makes no volume such as {volume}")
        return f"{place}:{mount['mountPath']}:{'ro' if is_read_only else 'rw'}"

    def finish(self, container, timeout):
        """Runs a container to its end. Returns its status and what it said."""
        return podman.finish("run", "--rm", *self.arguments(container), timeout=timeout)

    def start(self, container):
        podman.run("run", "--detach", *self.arguments(container))

    def ask(self, container, probe):
        """Asks what a probe asks, as the kubelet does. Returns whether it is well answered, and the answer."""
        get = container[probe]["httpGet"]
        port = next(each["containerPort"] for each in container["ports"] if each["name"] == get["port"])
        timeout = container[probe].get("timeoutSeconds", 1)
        try:
            connection = http.client.HTTPConnection(podman.address(self.name_of(container)), port, timeout=timeout)
            connection.request("GET", get["path"])
            answer = connection.getresponse()
            return 200 <= answer.status < 400, answer.read().decode()
        except (OSError, http.client.HTTPException) as error:
            return False, str(error)
