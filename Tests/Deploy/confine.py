#!/usr/bin/python3
"""Runs the commands of a unit in a folder with an installed system, confined as the unit says: user, groups, limits,
read-only paths, private /tmp, /dev and /proc, no capabilities, system calls, no memory that is writeable and
executable.

    confine.py ROOT UNIT [INSTANCE] [-- NAME=VALUE…]

What is not done here, because only systemd does it: the limits of cgroups (MemoryMax, CPU) and PrivateUsers.
NAME=VALUE is set beside the unit's own environment, for addresses of a test's servers. With several ExecStart the
later ones run when the earlier ones ended well.
"""

import ctypes
import errno
import grp
import os
import pathlib
import pwd
import re
import resource
import subprocess
import sys

import seccomp

from unit import Unit

LIBC = ctypes.CDLL(None, use_errno=True)
PR_SET_NO_NEW_PRIVS, PR_CAPBSET_DROP, CLONE_NEWNS, CLONE_NEWNET = 38, 24, 0x20000, 0x40000000
FAMILIES = {"AF_UNIX": 1, "AF_INET": 2, "AF_INET6": 10}
PROT_WRITE, PROT_EXEC = 2, 4
LAST_CAPABILITY = int(pathlib.Path("/proc/sys/kernel/cap_last_cap").read_text())


def called(result):
    if result != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def mount(*arguments):
    subprocess.run(["mount", *arguments], check=True)


def system_calls(sets):
    """The names in sets such as @system-service, and single ones."""
    found = set()
    for name in sets:
        if name.startswith("@"):
            text = subprocess.run(
                ["systemd-analyze", "syscall-filter", name], capture_output=True, text=True, check=True
            ).stdout
            found |= system_calls(re.findall(r"^    (\S+)$", text, re.M))
        else:
            found.add(name)
    return found


def filtered(unit):
    """The seccomp filter that systemd makes of the unit."""
    lines = unit.values("Service", "SystemCallFilter")
    allowed = system_calls(word for line in lines if not line.startswith("~") for word in line.split())
    allowed -= system_calls(word for line in lines if line.startswith("~") for word in line[1:].split())
    if unit.value("SystemCallErrorNumber") != "EPERM" or len(allowed) < 100:
        sys.exit(f"{unit.name}: no filter of system calls that this can apply")
    made = seccomp.SyscallFilter(seccomp.ERRNO(errno.EPERM))
    for name in sorted(allowed):
        if seccomp.resolve_syscall(seccomp.Arch(), name) >= 0 and name not in (
            "socket",
            "mmap",
            "mprotect",
            "pkey_mprotect",
        ):
            made.add_rule(seccomp.ALLOW, name)
    for family in unit.value("RestrictAddressFamilies").split():
        made.add_rule(seccomp.ALLOW, "socket", seccomp.Arg(0, seccomp.EQ, FAMILIES[family]))
    both = PROT_WRITE | PROT_EXEC if unit.value("MemoryDenyWriteExecute") == "yes" else 0x1000
    for bits in {0, PROT_WRITE, PROT_EXEC} if both != 0x1000 else set():
        made.add_rule(seccomp.ALLOW, "mmap", seccomp.Arg(2, seccomp.MASKED_EQ, both, bits))
    made.add_rule(seccomp.ALLOW, "mprotect", seccomp.Arg(2, seccomp.MASKED_EQ, PROT_EXEC, 0))
    return made


def prepared(root, unit):
    """The mounts of the unit, seen by this process and its children only."""
    called(LIBC.unshare(CLONE_NEWNS | (CLONE_NEWNET if unit.value("PrivateNetwork") == "yes" else 0)))
    mount("--make-rprivate", "/")
    if unit.value("ProtectSystem") != "strict" or unit.value("PrivateTmp") != "yes":
        sys.exit(f"{unit.name}: its file system is not protected")
    # Writeable: what ReadWritePaths names. Everything else of the root is not, whatever else is mounted there.
    writable = (unit.value("ReadWritePaths") or "").split()
    mount("--rbind", root, root)
    mounts = [line.split()[4] for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines()]
    for place in sorted({place for place in mounts if (place + "/").startswith(root + "/")}):
        mount("-o", "remount,bind,ro", place)
    for path in writable:
        mount("--bind", root + path, root + path)
        mount("-o", "remount,bind,rw", root + path)
    for path in ["/tmp", "/var/tmp"]:
        mount("-t", "tmpfs", "-o", "mode=1777", "tmpfs", root + path)
    devices = ["null", "zero", "full", "random", "urandom"]
    mount("-t", "tmpfs", "tmpfs", root + "/dev")
    for device in devices:
        pathlib.Path(root, "dev", device).touch()
        mount("--bind", "/dev/" + device, f"{root}/dev/{device}")
    mount("-t", "proc", "-o", "subset=pid,hidepid=invisible", "proc", root + "/proc")
    # The credentials, for the unit's user alone.
    user = pwd.getpwnam(unit.value("User"))
    mount("-t", "tmpfs", "-o", "mode=0755", "tmpfs", root + "/run/credentials")
    folder = pathlib.Path(root, "run/credentials", unit.name)
    folder.mkdir(mode=0o700)
    for name, source in unit.credentials.items():
        if not os.path.exists(source if source.startswith(root) else root + source):
            sys.exit(f"{unit.name}: the credential {name} is missing: {source} (systemd: status=243/CREDENTIALS)")
        (folder / name).write_bytes(pathlib.Path(root + source).read_bytes())
        (folder / name).chmod(0o400)
        os.chown(folder / name, user.pw_uid, user.pw_gid)
    os.chown(folder, user.pw_uid, user.pw_gid)


def confined(unit):
    """This process, from now on."""
    user, group = pwd.getpwnam(unit.value("User")), grp.getgrnam(unit.value("Group"))
    files, tasks = int(unit.value("LimitNOFILE")), int(unit.value("TasksMax"))
    # systemd's soft limit is 1024: the programs raise it to the hard one by themselves.
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(1024, files), files))
    resource.setrlimit(resource.RLIMIT_CORE, (int(unit.value("LimitCORE")),) * 2)
    resource.setrlimit(resource.RLIMIT_NPROC, (tasks, tasks))
    os.umask(int(unit.value("UMask"), 8))
    if unit.value("CapabilityBoundingSet") != "":
        sys.exit(f"{unit.name}: it keeps capabilities")
    for capability in range(LAST_CAPABILITY + 1):
        called(LIBC.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0))
    groups = [grp.getgrnam(name).gr_gid for name in (unit.value("SupplementaryGroups") or "").split()]
    os.setgroups(groups)
    os.setresgid(group.gr_gid, group.gr_gid, group.gr_gid)
    os.setresuid(user.pw_uid, user.pw_uid, user.pw_uid)
    called(LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))


def main(root, path, *rest):
    rest = list(rest)
    beside = dict(word.split("=", 1) for word in rest[rest.index("--") + 1 :]) if "--" in rest else {}
    instance = rest[0] if rest and rest[0] != "--" else ""
    unit = Unit(path, instance)
    rules = filtered(unit)
    # The users are those of the installed system.
    os.environ.clear()
    os.environ["PATH"] = "/usr/sbin:/usr/bin:/sbin:/bin"
    root_users(root)
    prepared(root, unit)
    environment = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", **unit.environment, **beside}
    os.chroot(root)
    os.chdir("/")
    confined(unit)
    rules.load()
    commands = [line.split() for line in unit.values("Service", "ExecStart")]
    for command in commands[:-1]:
        status = os.spawnve(os.P_WAIT, command[0], command, environment)
        if status != 0:
            sys.exit(status)
    os.execve(commands[-1][0], commands[-1], environment)


def root_users(root):
    """Lets pwd and grp read the users of the installed system."""
    users = [line.split(":") for line in pathlib.Path(root, "etc/passwd").read_text().splitlines()]
    groups = [line.split(":") for line in pathlib.Path(root, "etc/group").read_text().splitlines()]
    pwd.getpwnam = lambda name: next(
        pwd.struct_passwd((u[0], u[1], int(u[2]), int(u[3]), *u[4:])) for u in users if u[0] == name
    )
    grp.getgrnam = lambda name: next(grp.struct_group((g[0], g[1], int(g[2]), [])) for g in groups if g[0] == name)


main(os.path.realpath(sys.argv[1]), *sys.argv[2:])
