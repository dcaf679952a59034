// Plays an iPhone where the browser has no Apple Pay. Loaded before the shop's own code, which knows no difference.
// Where there is a real `window.ApplePaySession`, this does nothing.
import { SandboxError } from "./error.js";
import { SandboxSession } from "./session.js";

if (!("ApplePaySession" in window)) {
  // The two assignments are what TypeScript checks: the stand-in has every member of Apple's types.
  /** @type {typeof ApplePaySession} */
  const session = SandboxSession;
  /** @type {typeof ApplePayError} */
  const error = SandboxError;
  Object.assign(window, { ApplePaySession: session, ApplePayError: error });
}
