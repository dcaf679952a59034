#pragma once

/// The commit that the package was built from, as Package.swift learns it from git; "unknown" outside a checkout.
const char *orchard_build_commit(void);
