"""Reads systemd's unit files, as far as ours go: sections, repeated keys, and specifiers."""

import pathlib


class Unit:
    """A unit: `values(section, key)` are those of all its lines, in their order."""

    def __init__(self, path, instance=""):
        self.path, self.instance = pathlib.Path(path), instance
        self.prefix = self.path.stem.split("@")[0]
        self.sections, section = {}, None
        for line in self.path.read_text().splitlines():
            line = line.strip()
            if line.startswith("["):
                section = self.sections.setdefault(line.strip("[]"), [])
            elif line and not line.startswith(("#", ";")):
                key, value = line.split("=", 1)
                section.append((key, value))

    def values(self, section, key):
        return [self.filled(value) for name, value in self.sections.get(section, []) if name == key]

    def value(self, key, section="Service"):
        """The last value; None when there is none."""
        found = self.values(section, key)
        return found[-1] if found else None

    def filled(self, value):
        """With the specifiers that our units use put in."""
        for name, text in {
            "%i": self.instance,
            "%H": "host",
            "%p": self.prefix,
            "%d": "/run/credentials/" + self.name,
        }.items():
            value = value.replace(name, text)
        return value

    @property
    def name(self):
        return self.path.name.replace("@.", f"@{self.instance}.") if self.instance else self.path.name

    @property
    def environment(self):
        return dict(word.split("=", 1) for line in self.values("Service", "Environment") for word in line.split())

    @property
    def credentials(self):
        """The path of each credential's source."""
        return dict(line.split(":", 1) for line in self.values("Service", "LoadCredential"))
