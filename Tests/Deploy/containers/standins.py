"""Apache Kafka that wants certificates, and PostgreSQL, under the names by which the pods ask for them."""

import contextlib
import socket
import subprocess
import time

import catalogue
import podman
from volumes import DATABASE, LOGINS, PASSWORD

BROKERS = {"small": 1, "production": 3}


class StandIns:
    """The servers of a cluster, on a network of their own that leads nowhere else."""

    def __init__(self, overlay, volumes):
        self.network, self.volumes = f"orchard-{overlay}", volumes
        self.brokers = [f"kafka-{number}.kafka.example" for number in range(BROKERS[overlay])]
        volumes.authority.issue("broker", self.brokers)
        pair = (volumes.tls / "broker.key").read_text() + (volumes.tls / "broker.pem").read_text()
        (volumes.tls / "broker.keystore.pem").write_text(pair)
        self.names = []

    def __enter__(self):
        # One may be left of a test that was killed.
        podman.succeeds("network", "rm", "--force", self.network)
        podman.run("network", "create", "--internal", self.network)
        try:
            self._start(
                DATABASE, "docker.io/library/postgres:18", {"POSTGRES_PASSWORD": PASSWORD, "PGDATA": "/data/pg"}
            )
            for number, broker in enumerate(self.brokers):
                self._start(broker, "docker.io/apache/kafka:4.3.1", self._kafka(number, broker))
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        podman.remove(self.names)
        podman.run("network", "rm", "--force", self.network)

    def _start(self, alias, image, environment):
        name = f"{self.network}-{alias.split('.')[0]}"
        self.names.append(name)
        words = [word for key, value in environment.items() for word in ("--env", f"{key}={value}")]
        podman.run(
            *[
                "run",
                "--detach",
                "--pull",
                "never",
                "--name",
                name,
                "--network",
                self.network,
                "--network-alias",
                alias,
            ],
            *["--tmpfs", "/data", "--volume", f"{self.volumes.tls}:/tls:ro", *words, image],
        )

    def _kafka(self, number, broker):
        copies = str(min(3, len(self.brokers)))
        return {
            "CLUSTER_ID": "b3JjaGFyZC10ZXN0LTEyMw",
            "KAFKA_NODE_ID": number,
            "KAFKA_PROCESS_ROLES": "broker,controller",
            "KAFKA_LISTENERS": "SSL://:9093,CONTROLLER://:9094",
            "KAFKA_ADVERTISED_LISTENERS": f"SSL://{broker}:9093",
            "KAFKA_LISTENER_SECURITY_PROTOCOL_MAP": "CONTROLLER:PLAINTEXT,SSL:SSL",
            "KAFKA_CONTROLLER_LISTENER_NAMES": "CONTROLLER",
            "KAFKA_CONTROLLER_QUORUM_VOTERS": ",".join(f"{each}@{name}:9094" for each, name in enumerate(self.brokers)),
            "KAFKA_SECURITY_INTER_BROKER_PROTOCOL": "SSL",
            "KAFKA_SSL_CLIENT_AUTH": "required",
            "KAFKA_SSL_KEYSTORE_TYPE": "PEM",
            "KAFKA_SSL_KEYSTORE_LOCATION": "/tls/broker.keystore.pem",
            "KAFKA_SSL_TRUSTSTORE_TYPE": "PEM",
            "KAFKA_SSL_TRUSTSTORE_LOCATION": "/tls/authority.pem",
            "KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR": copies,
            "KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR": copies,
            "KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS": "0",
            "KAFKA_AUTO_CREATE_TOPICS_ENABLE": "false",
            "KAFKA_LOG_DIRS": "/data/kafka",
        }

    def make_databases(self):
        """What an administrator does: databases, owners and logins."""
        script = catalogue.ROOT / "deploy/postgres/roles"
        roles = subprocess.run([script], capture_output=True, text=True, check=True).stdout
        for login in [each for both in LOGINS.values() for each in both]:
            roles += f"ALTER ROLE {login} PASSWORD '{PASSWORD}';\n"
        inside = ["exec", "--interactive", self.names[0]]
        wait(lambda: podman.succeeds(*inside, "pg_isready", "--quiet", "--host=127.0.0.1"), self.names[0])
        psql = ["psql", "--username=postgres", "--quiet", "--set=ON_ERROR_STOP=1", "--output=/dev/null"]
        podman.run(*inside, *psql, text=roles)

    def wait_for_brokers(self):
        for name in self.names[1:]:
            wait(lambda name=name: listens(podman.address(name), 9093), name)


def listens(address, port):
    with contextlib.suppress(OSError):
        socket.create_connection((address, port), timeout=1).close()
        return True
    return False


def wait(condition, name):
    until = time.monotonic() + 120
    while not condition():
        if time.monotonic() > until:
            raise SystemExit(f"{name} does not answer:\n{podman.logs(name)}")
        time.sleep(0.3)
