#!/usr/bin/env python3
"""Runs deploy/postgres/roles on every PostgreSQL that is here (Debian's, and the one of ../shared/postgres), migrates
as the owners it makes, and tries what each login may do and must not do.
"""

import os
import pathlib
import pwd
import subprocess
import sys
import tempfile

import catalogue

SCRIPT = catalogue.ROOT / "deploy/postgres/roles"


def servers():
    """The folders of the programs of each PostgreSQL."""
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))[-1:]
    for archive in sorted((catalogue.ROOT / "../shared/postgres").glob("postgresql-*.txz")):
        folder = catalogue.ROOT / ".build" / ("postgres-" + archive.name.split("-")[1].split(".")[0])
        if not folder.exists():
            folder.mkdir(parents=True)
            subprocess.run(["tar", "-xJf", archive, "-C", folder], check=True)
        found.append(folder / "bin")
    return found


def sql(database, login, text, folder):
    """What psql prints and its status."""
    result = subprocess.run(
        [
            "psql",
            "--no-psqlrc",
            "--quiet",
            "--tuples-only",
            "--no-align",
            "--set=ON_ERROR_STOP=1",
            f"host={folder} dbname={database} user={login}",
        ],
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    return result.returncode, result.stdout + result.stderr


def expect(condition, text):
    if not condition:
        raise SystemExit("expected: " + text)


def tried(folder):
    """One server with everything that the script must make of it."""
    script = subprocess.run(
        [SCRIPT, "--prefix", "shop", "--ledger-database", "books"], capture_output=True, text=True, check=True
    ).stdout
    for _ in range(2):
        status, text = sql("postgres", "postgres", script, folder)
        expect(status == 0, f"the script runs, and runs again: {text}")
    for program, database, name in [("charge-gateway", "gateway", "gateway"), ("order-ledger", "books", "ledger")]:

        def ran(login, *command):
            return subprocess.run(
                [catalogue.program(program), *command],
                capture_output=True,
                text=True,
                check=False,
                env={"PATH": "/usr/bin", "POSTGRES_URL": f"host={folder} dbname={database} user={login}"},
            )

        result = ran(f"shop_{name}_owner", "migrate")
        expect(
            result.returncode == 0 and "ran 0001" in result.stdout,
            f"{name}: the owner migrates: {result.stdout}{result.stderr}",
        )
        command = ["attempts", "list"] if name == "gateway" else ["audit"]
        result = ran(f"shop_{name}", *command)
        expect(result.returncode == 0, f"{name}: the service's login does {command}: {result.stdout}{result.stderr}")
        # After the migration as well, the script may be run again.
        expect(sql("postgres", "postgres", script, folder)[0] == 0, "the script runs after migrate")
        for login, text in [
            (f"shop_{name}", f"CREATE TABLE {name}.more ()"),
            (f"shop_{name}", "CREATE TABLE public.more ()"),
            (f"shop_{name}", "CREATE TEMPORARY TABLE more ()"),
            (f"shop_{name}", "CREATE SCHEMA more"),
            (f"shop_{name}", f"DROP TABLE {name}.schema_migrations"),
            (f"shop_{name}", f"SET ROLE shop_{name}_owner"),
            (f"shop_{name}_owner", "CREATE ROLE more"),
            (f"shop_{name}_owner", "CREATE DATABASE more"),
            ("stranger", "SELECT 1"),
        ]:
            status, answer = sql(database, login, text, folder)
            expect(
                status != 0 and ("permission denied" in answer or "must be owner" in answer),
                f"{login} must not {text}: {answer}",
            )
        other = "books" if name == "gateway" else "gateway"
        for login in (f"shop_{name}", f"shop_{name}_owner"):
            expect("permission denied" in sql(other, login, "SELECT 1", folder)[1], f"{login} does not reach {other}")
    status, text = sql("books", "shop_ledger", "DELETE FROM ledger.entries", folder)
    expect(status != 0 and "permission denied" in text, f"the service changes no books: {text}")


def main():
    for wrong in (["--prefix", "Shop; DROP"], ["--ledger-database", "gateway"], ["--other", "x"]):
        expect(
            subprocess.run([SCRIPT, *wrong], capture_output=True, check=False).returncode == 64, f"{wrong} is refused"
        )
    versions = []
    for programs in servers():
        with tempfile.TemporaryDirectory() as folder:
            as_user = []
            if os.geteuid() == 0:
                user = pwd.getpwnam("postgres")
                os.chown(folder, user.pw_uid, user.pw_gid)
                as_user = ["runuser", "-u", "postgres", "--"]
            data = f"{folder}/data"
            subprocess.run(
                [*as_user, programs / "initdb", "-D", data, "-A", "trust", "-U", "postgres"],
                check=True,
                capture_output=True,
            )
            subprocess.run(
                [
                    *as_user,
                    programs / "pg_ctl",
                    "-D",
                    data,
                    "-l",
                    f"{folder}/log",
                    "-w",
                    "-o",
                    f"-k {folder} -c listen_addresses= -c fsync=on",
                    "start",
                ],
                check=True,
                capture_output=True,
            )
            try:
                os.chmod(folder, 0o755)
                sql("postgres", "postgres", "CREATE ROLE stranger LOGIN", folder)
                tried(folder)
                versions.append(sql("postgres", "postgres", "SHOW server_version_num", folder)[1].strip()[:2])
            finally:
                subprocess.run(
                    [*as_user, programs / "pg_ctl", "-D", data, "-m", "immediate", "stop"],
                    check=False,
                    capture_output=True,
                )
    expect(versions, "there is a PostgreSQL")
    print(f"PostgreSQL {' and '.join(versions)}: the roles own, migrate and serve, and can do no more")


if __name__ == "__main__":
    sys.exit(main())
