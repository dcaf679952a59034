#!/usr/bin/env python3
"""Holds deploy/compose: each variable is a setting of its program, required ones are given, each setting of an env file is
used, the shop is known by one address, and the ports are those that the programs listen on. Tests/Deploy/containers/run brings it up.
"""

import json
import re
import sys

import yaml

import catalogue

FOLDER = catalogue.ROOT / "deploy/compose"
problems = []
text = (FOLDER / "compose.yaml").read_text()
compose = yaml.safe_load(text)
services = compose["services"]

for name in catalogue.PROGRAMS:
    service = services[name]
    given = set(service["environment"]) | {"HTTP_HOST", "ADMIN_HOST", "LOG_FORMAT"}  # the last three from the image
    known, required = catalogue.variables(name, "serve")
    problems += [f"{name}: {each} is no setting" for each in sorted(given - known)]
    problems += [f"{name}: none of {each} is given" for each in required if not given & set(each)]
    if not service.get("read_only") or service.get("cap_drop") != ["ALL"] or "mem_limit" not in service:
        problems.append(f"{name}: may write, has capabilities, or no limit of memory")
    # A worker more is one number.
    if not re.fullmatch(r"\$\{[A-Z_]+_WORKERS:-2\}", service["deploy"]["replicas"]):
        problems.append(f"{name}: the number of its workers is no setting")

# The shop of the profile sandbox has the settings of its command; browsers and the registry know it by one address.
shop = services["shop"]["environment"]
known, required = catalogue.variables("sandbox", *services["shop"]["command"])
problems += [f"shop: {each} is no setting" for each in sorted(set(shop) - known)]
problems += [f"shop: none of {each} is given" for each in required if not set(shop) & set(each)]
registry = json.loads((FOLDER / "sandbox/merchants.json").read_text())["merchants"][0]
published = services["proxy"]["ports"][0].split(":-")[1].split("}")[0].rsplit(":", 1)[1]
if [shop["SHOP_ORIGIN"]] != registry["origins"] or shop["SHOP_ORIGIN"] != f"https://localhost:{published}":
    problems.append("shop: SHOP_ORIGIN, the origins of sandbox/merchants.json and the published port are not one address")
if shop["SHOP_MERCHANT"] != registry["applePay"]["merchantIdentifier"]:
    problems.append("shop: SHOP_MERCHANT is not the merchant of sandbox/merchants.json")
if f"APPLE_SESSIONS_SERVER={shop['SHOP_SESSIONS_SERVER']}\n" not in (FOLDER / "sandbox/env").read_text():
    problems.append("shop: token-ingest asks another session server than SHOP_SESSIONS_SERVER")
# Everybody in the profile is as confined as the services.
for name, service in services.items():
    if "sandbox" in service.get("profiles", []) and not (
        service.get("read_only") and service.get("cap_drop") == ["ALL"] and "mem_limit" in service
    ):
        problems.append(f"{name}: may write, has capabilities, or no limit of memory")

# What a person may set is used, and what is used can be set.
used = set(re.findall(r"\$\{([A-Z_]+)", text))
for file in [".env.example", "sandbox/env"]:
    offered = set(re.findall(r"^([A-Z_]+)=", (FOLDER / file).read_text(), re.M)) - {"COMPOSE_PROFILES"}
    problems += [f"{file}: {each} is used by nothing" for each in sorted(offered - used)]
checked = set(services["setup"]["environment"])
script = (FOLDER / "setup").read_text()
problems += [f"setup: {each} is used by nothing" for each in sorted(checked) if each not in script]

# What several containers read is one value for all of them, and setup sees each file, address and secret before they start.
alone = {"SEALING_KEYS", "CONTACT_KEYS", "POSTGRES_URL"}
for name in catalogue.PROGRAMS:
    for variable, value in services[name]["environment"].items():
        asked = services["setup"]["environment"].get(variable)
        if asked is not None and asked != value:
            problems.append(f"setup: {variable} is {asked}, and {value} in {name}")
        if asked is None and variable not in alone and re.search(r"\$\{", value) and variable != "APPLE_SESSIONS_SERVER":
            problems.append(f"setup: does not check {variable}, which a person gives to {name}")
secrets = set(re.findall(r"\$\{([A-Z]+_PASSWORD)", text))
problems += [f"setup: does not check {each}" for each in sorted(secrets - checked)]

# The proxy, Prometheus and the images know the ports.
ports = {name: (8081 + index, 9081 + index) for index, name in enumerate(catalogue.PROGRAMS)}
proxy, prometheus = (FOLDER / "services.caddy").read_text(), (FOLDER / "prometheus.yml").read_text()
dockerfile = (catalogue.ROOT / "deploy/docker/Dockerfile").read_text()
for name, (public, admin) in ports.items():
    shown = catalogue.help_of(name, "serve")
    for place, wanted in [
        (shown, f"default {public}"), (shown, f"default {admin}"), (proxy, f"dynamic a {name} {public}"),
        (prometheus, f"names: [{name}], type: A, port: {admin}"), (dockerfile, f"EXPOSE {public} {admin}"),
    ]:
        if wanted not in place:
            problems.append(f"{name}: \"{wanted}\" stands nowhere")
# The proxy leads to routes that exist.
routes = "\n".join(path.read_text() for path in (catalogue.ROOT / "docs/openapi").glob("*.yaml"))
for path in re.findall(r"(/v1/[a-z/-]+|/\.well-known/[a-z-]+)", proxy):
    if path.rstrip("/") != "/v1" and path not in routes:
        problems.append(f"services.caddy: no service answers {path}")

if problems:
    sys.exit("\n".join(problems))
print(f"{len(services)} services of compose fit the programs")
