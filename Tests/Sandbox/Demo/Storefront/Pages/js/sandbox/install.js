// Plays an iPhone where the browser has no Apple Pay. Loaded before the shop's own code, which knows no difference.
// Where there is a real `window.ApplePaySession` that works, this does nothing.
import { SandboxError } from "./error.js";
import { SandboxSession } from "./session.js";

/** Safari's throws on each use where the page came without TLS, as the shop's does on this machine. */
function isRefused() {
  try {
    ApplePaySession.canMakePayments();
    return false;
  } catch {
    return true;
  }
}

if (!("ApplePaySession" in window) || isRefused()) {
  // The two assignments are what TypeScript checks: the stand-in has every member of Apple's types.
  /** @type {typeof ApplePaySession} */
  const session = SandboxSession;
  /** @type {typeof ApplePayError} */
  const error = SandboxError;
  Object.assign(window, { ApplePaySession: session, ApplePayError: error });
}
