"""Renders the overlays of deploy/kubernetes, and finds its objects and what belongs together."""

import subprocess

import yaml

import catalogue

FOLDER = catalogue.ROOT / "deploy/kubernetes"
OVERLAYS = ["small", "production"]


def rendered(path):
    """The text that kubectl makes of a folder."""
    result = subprocess.run(["kubectl", "kustomize", path], capture_output=True, text=True, check=False)
    if result.returncode != 0 or result.stderr:
        raise SystemExit(f"kubectl kustomize {path}: {result.stderr}")
    return result.stdout


class Cluster:
    """An overlay with its setup, as a cluster would have them. `folder` may be a copy of deploy/kubernetes."""

    def __init__(self, overlay, folder=FOLDER):
        path = folder / "overlays" / overlay
        self.text = rendered(path) + "---\n" + rendered(path / "setup")
        self.objects = [each for each in yaml.safe_load_all(self.text) if each]

    def of(self, *kinds):
        return [each for each in self.objects if each["kind"] in kinds]

    def names(self, kind):
        """The namespace and name of each object of a kind."""
        return {(each["metadata"].get("namespace"), each["metadata"]["name"]) for each in self.of(kind)}

    def pods(self):
        """Each kind of pod: its object, its labels and its spec."""
        for each in self.of("Deployment", "StatefulSet", "Job", "CronJob"):
            spec = each["spec"]["jobTemplate"]["spec"] if each["kind"] == "CronJob" else each["spec"]
            yield each, spec["template"]["metadata"]["labels"], spec["template"]["spec"]

    def environment(self, namespace, container, pod="pod-0"):
        """The variables of a container; what a cluster fills in is the name of its pod."""
        found = {}
        for source in container.get("envFrom", []):
            name = source["configMapRef"]["name"]
            found |= next(
                each["data"]
                for each in self.of("ConfigMap")
                if (each["metadata"]["namespace"], each["metadata"]["name"]) == (namespace, name)
            )
        for variable in container.get("env", []):
            found[variable["name"]] = variable.get("value", pod)
        return found


def where(each):
    return f"{each['kind']} {each['metadata'].get('namespace', '')}/{each['metadata']['name']}"


def matches(selector, labels):
    """Whether a selector of labels chooses them; an empty one chooses all."""
    return all(labels.get(key) == value for key, value in selector.get("matchLabels", {}).items())
