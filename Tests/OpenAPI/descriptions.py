"""Compares answers and records with their descriptions: docs/openapi and docs/asyncapi.yaml.

    python3 descriptions.py show docs/asyncapi.yaml     the document as JSON, each reference replaced by what it names
    python3 descriptions.py validate SCHEMA             whether docs/asyncapi.yaml is one by AsyncAPI's own schema
    python3 descriptions.py check                       reads an answer or a record a line, as JSON, and prints a line for each:
                                                        empty, or what is not as it is described

Members that are not described are faults here, so that no description is forgotten; clients are told to ignore them.
"""

import functools
import json
import pathlib
import re
import sys

import jsonschema
import yaml

# Which answers there were; Tests/OpenAPI/unseen reads the file.
SEEN = set()
SEEN_FILE = pathlib.Path(__file__).resolve().parents[2] / ".build/described-answers"
DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@functools.cache
def raw(path):
    return yaml.load(path.read_text(), Loader)


def merged(one, other):
    """Both schemas' demands on one value."""
    if not (isinstance(one, dict) and isinstance(other, dict)):
        return other
    both = {**one, **{name: merged(one[name], other[name]) if name in one else other[name] for name in other}}
    if "required" in one and "required" in other:
        both["required"] = sorted({*one["required"], *other["required"]})
    return both


def resolved(node, path):
    """The node with each reference replaced by what it names."""
    if isinstance(node, list):
        return [resolved(each, path) for each in node]
    if not isinstance(node, dict):
        return node
    others = {name: resolved(each, path) for name, each in node.items() if name != "$ref"}
    if not isinstance(node.get("$ref"), str):
        return {**others, **({"$ref": resolved(node["$ref"], path)} if "$ref" in node else {})}
    file, _, pointer = node["$ref"].partition("#")
    path = (path.parent / file).resolve() if file else path
    target = raw(path)
    for name in pointer.split("/")[1:]:
        target = target[name.replace("~1", "/").replace("~0", "~")]
    return merged(resolved(target, path), others)


@functools.cache
def document(name):
    path = (DOCS / name).resolve()
    return resolved(raw(path), path)


def without_ids(node):
    """Debian's jsonschema takes a member that is named $id for the address of a schema."""
    if isinstance(node, list):
        return [without_ids(each) for each in node]
    if not isinstance(node, dict):
        return node
    return {name: without_ids(each) for name, each in node.items() if name != "$id"}


def closed(schema):
    """The schema without room for members that it does not describe."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {name: closed(each) for name, each in schema.items()}
    if isinstance(schema.get("properties"), dict) and "type" in schema:
        schema.setdefault("additionalProperties", False)
    return schema


@functools.cache
def complete(name):
    """The document as answers and records must be."""
    return closed(document(name))


def fault(value, schema, place):
    errors = jsonschema.Draft202012Validator(schema).iter_errors(value)
    return next((f"{place}{each.json_path[1:]}: {each.message}"[:500] for each in errors), "")


@functools.cache
def routes(service):
    """Each path as a pattern."""
    paths = complete(f"openapi/{service}.yaml")["paths"]
    return [(re.compile(re.sub(r"\{\w+\}", "[^/]+", path)), path, item) for path, item in paths.items()]


@functools.cache
def names_of_headers(service):
    """Every header that answers of the service may have."""
    documents = [document("openapi/shared.yaml"), document(f"openapi/{service}.yaml")]
    found = {"allow", "connection", "content-length", "content-type", "date"}

    def collect(node):
        if isinstance(node, dict):
            if isinstance(node.get("headers"), dict):
                found.update(name.lower() for name in node["headers"])
            for each in node.values():
                collect(each)
        elif isinstance(node, list):
            for each in node:
                collect(each)

    collect(documents)
    return found


def answer_fault(service, method, target, status, fields, body):
    path = target.partition("?")[0]
    fields = {name.lower(): value for name, value in fields.items()}
    place = f"{method} {target}: {status}"
    problem = complete("openapi/shared.yaml")["components"]["schemas"]["Problem"]
    found = [(template, item) for pattern, template, item in routes(service) if pattern.fullmatch(path)]
    exact = [each for each in found if each[0] == path] or found
    operation = exact[0][1].get("get" if method == "HEAD" else method.lower()) if exact else None
    if operation is None:
        # Not a route, or not its method.
        wanted = {"code": {"enum": ["method-not-allowed"] if exact else ["not-found", "bad-path"]}}
        if status == 405 and not fields.get("allow"):
            return f"{place}: there is no Allow"
        return fault(json.loads(body), merged(problem, {"properties": wanted}), place)
    described = operation["responses"].get(str(status)) or operation["responses"].get(f"{status // 100}XX")
    SEEN.add(f"{service} {method} {exact[0][0]} {status}")
    if described is None:
        return f"{place}: the status is not described"
    for name, header in described.get("headers", {}).items():
        value = fields.get(name.lower())
        if value is None and header.get("required"):
            return f"{place}: there is no {name}"
        if value is not None and (wrong := fault(value, header["schema"], f"{place}: {name}")):
            return wrong
    unknown = fields.keys() - names_of_headers(service)
    if unknown:
        return f"{place}: {sorted(unknown)[0]} is not described"
    media = fields.get("content-type", "").partition(";")[0].strip()
    if "content" not in described:
        return f"{place}: a body is not described" if body else ""
    if media not in described["content"]:
        return f"{place}: {media or 'no media type'} is not described"
    if method == "HEAD":
        return ""
    value = json.loads(body) if media.endswith("json") else body
    wrong = fault(value, described["content"][media]["schema"], place)
    if not wrong and media == "application/problem+json" and value["status"] != status:
        return f"{place}: the problem has another status"
    return wrong


def record_fault(topic, key, headers, value):
    channels = complete("asyncapi.yaml")["channels"].values()
    place = f"{topic} {headers.get('ce_type')}"
    messages = [message for channel in channels if channel["address"] == topic for message in channel["messages"].values()]
    message = next((each for each in messages if each["name"] == headers.get("ce_type")), None)
    if message is None:
        return f"{place}: the message is not described"
    program = re.sub("-(.)", lambda match: match[1].upper(), headers.get("ce_source", "")[1:])
    senders = [name.split(".")[0] for name, operation in complete("asyncapi.yaml")["operations"].items()
               if operation["action"] == "send" and operation["channel"]["address"] == topic
               and message in operation.get("messages", [message])]
    if program not in senders:
        return f"{place}: {headers.get('ce_source')} is not described as a sender"
    for trait in message.get("traits", []):
        message = {**trait, **message}
    wrong = fault(key, message["bindings"]["kafka"]["key"], f"{place} key")
    wrong = wrong or fault(headers, message["headers"], f"{place} headers")
    return wrong or fault(json.loads(value), message["payload"], f"{place} ")


def check(line):
    given = json.loads(line)
    try:
        if "topic" in given:
            return record_fault(given["topic"], given["key"], given["headers"], given["value"])
        return answer_fault(
            given["service"], given["method"], given["target"], given["status"], given["fields"], given["body"])
    except (KeyError, ValueError) as error:
        return f"{given.get('target') or given.get('topic')}: {type(error).__name__} {error}"


def keep_seen():
    with SEEN_FILE.open("a") as file:
        file.writelines(f"{line}\n" for line in sorted(SEEN))


if __name__ == "__main__":
    if sys.argv[1] == "show":
        json.dump(document(pathlib.Path(sys.argv[2]).resolve().relative_to(DOCS)), sys.stdout)
    elif sys.argv[1] == "validate":
        schema = json.loads(pathlib.Path(sys.argv[2]).read_text())
        jsonschema.Draft7Validator(without_ids(schema)).validate(raw(DOCS / "asyncapi.yaml"))
    else:
        for line in sys.stdin:
            print(check(line).replace("\n", " "), flush=True)
        keep_seen()
