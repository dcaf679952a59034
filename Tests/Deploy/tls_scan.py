"""Scans ports with sslyze and says what is wrong with their TLS. Tests/Deploy/tls.py runs it, with sslyze's Python:

tls_scan.py FOLDER PORT…    FOLDER has authority.pem, and operator.pem with its key for ports that want a certificate
"""

import pathlib
import re
import sys

import sslyze
from sslyze.__version__ import __version__
from sslyze.mozilla_tls_profile import tls_config_checker as mozilla

folder = pathlib.Path(sys.argv[1])
# The cipher suites that may be taken: only those that keep earlier traffic secret and authenticate what they encrypt.
SUITES = {
    "ssl_2_0": None,
    "ssl_3_0": None,
    "tls_1_0": None,
    "tls_1_1": None,
    "tls_1_2": r"TLS_ECDHE_(ECDSA|RSA)_WITH_(AES_(128|256)_GCM_SHA(256|384)|CHACHA20_POLY1305_SHA256)",
    "tls_1_3": r"TLS_(AES_(128|256)_GCM_SHA(256|384)|CHACHA20_POLY1305_SHA256)",
}
# What sslyze is asked, what is wrong when the answer is yes, and what of its result says so.
WEAKNESSES = [
    ("session_renegotiation", "a client renegotiates", lambda found: found.is_vulnerable_to_client_renegotiation_dos),
    ("session_renegotiation", "insecure renegotiation", lambda found: not found.supports_secure_renegotiation),
    ("tls_compression", "records are compressed", lambda found: found.supports_compression),
    ("tls_1_3_early_data", "early data is taken", lambda found: found.supports_early_data),
    ("heartbleed", "Heartbleed", lambda found: found.is_vulnerable_to_heartbleed),
    ("openssl_ccs_injection", "CCS injection", lambda found: found.is_vulnerable_to_ccs_injection),
    ("robot", "ROBOT", lambda found: not found.robot_result.name.startswith("NOT_VULNERABLE")),
    ("tls_fallback_scsv", "a client can be led to an older version", lambda found: not found.supports_fallback_scsv),
]


def request(port):
    client = sslyze.ClientAuthenticationCredentials(
        certificate_chain_path=folder / "operator.pem", key_path=folder / "operator.key"
    )
    return sslyze.ServerScanRequest(
        server_location=sslyze.ServerNetworkLocation("localhost", port, "127.0.0.1"),
        network_configuration=sslyze.ServerNetworkConfiguration("localhost", tls_client_auth_credentials=client),
        scan_commands_extra_arguments=sslyze.ScanCommandsExtraArguments(
            certificate_info=sslyze.CertificateInfoExtraArgument(folder / "authority.pem")
        ),
    )


def suites(version, allowed, taken):
    """What is wrong with the cipher suites that the server takes in a version."""
    if allowed is None:
        return [f"{version} is taken, with {name}" for name in taken]
    return [f"{version} is not taken"] * (not taken) + [
        f"{version} is taken with {name}" for name in taken if not re.fullmatch(allowed, name)
    ]


def by_mozilla(scan):
    profile = mozilla.MozillaTlsConfiguration.get(mozilla.TlsConfigurationEnum.MOZILLA_INTERMEDIATE)
    try:
        mozilla.check_server_against_tls_configuration(scan, profile)
    except mozilla.ServerNotCompliantWithTlsConfiguration as refused:
        return list(refused.issues.values())
    except mozilla.ServerScanResultIncomplete as incomplete:
        return [str(incomplete)]
    return []


def problems(scan):
    if scan.scan_result is None:
        yield f"cannot be scanned: {scan.connectivity_error_trace}"
        return
    for version, allowed in SUITES.items():
        found = getattr(scan.scan_result, f"{version}_cipher_suites").result
        if found is None:
            yield f"{version}: no answer to the scan"
        else:
            yield from suites(version, allowed, [each.cipher_suite.name for each in found.accepted_cipher_suites])
    for command, text, is_weak in WEAKNESSES:
        found = getattr(scan.scan_result, command).result
        if found is None:
            yield f"{text}: no answer to the scan"
        elif is_weak(found):
            yield text
    yield from (f"Mozilla's intermediate profile: {text}" for text in by_mozilla(scan))


scanner, bad = sslyze.Scanner(), []
scanner.queue_scans([request(int(port)) for port in sys.argv[2:]])
for each in scanner.get_results():
    bad += [f"port {each.server_location.port}: {text}" for text in problems(each)]
if bad:
    sys.exit("\n".join(bad))
print(f"sslyze {__version__} finds nothing at {len(sys.argv) - 2} ports, also by Mozilla's intermediate profile")
