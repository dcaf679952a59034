// Pays with a token, and finds out what became of it, within Apple's 30 seconds.
import { NoAnswer, Problem, pause } from "./http.js";

/** Apple's sheet waits 30 seconds for `completePayment`. Ours ends after 25, whatever is known then. */
export const PAYMENT_SECONDS = 25;
/** How long one request may take before the same token is sent again. */
const ANSWER_SECONDS = 8;
/** Codes by which token-ingest says that it did nothing, and that the same request may come again. */
const UNDONE = ["busy", "not-ready", "merchant-missing", "request-refused"];

/**
 * @typedef {Object} Holder Who keeps the order's ticket.
 * @property {string} orderId
 * @property {string} ticket
 * @property {() => Promise<void>} renew Exchanges an expired ticket.
 * @property {(paymentId: string, isAccepted: boolean) => void} learned Keeps the payment's id, so that a reload finds
 *   its outcome. `isAccepted`: Kafka holds the command to charge.
 *
 * @typedef {{result: import("./types.js").SheetResult, outcome: "paid" | "confirming" | "failed" | "unreachable",
 *   message?: string}} PaymentEnd
 */

/**
 * @param {import("./services.js").Services} services
 * @param {Holder} holder
 * @param {import("./types.js").Payment} payment
 * @returns {Promise<PaymentEnd>}
 */
export async function pay(services, holder, payment) {
  const deadline = Date.now() + PAYMENT_SECONDS * 1000;
  try {
    const paymentId = await send(services, holder, payment, deadline);
    // Nobody has answered, so nobody knows. The customer may try again: one order is never charged twice.
    if (!paymentId) return { result: { status: "STATUS_FAILURE", errors: [] }, outcome: "unreachable" };
    return await outcome(services, holder, paymentId, deadline);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    // The token cannot be charged, or the contact lacks something: no money is taken.
    const result = error.body.applePay ?? { status: "STATUS_FAILURE", errors: [] };
    return { result, outcome: "failed", message: error.message };
  }
}

/**
 * Sends the token until a service has answered, always the same one: the payment's id is a function of the token, so
 * a repeated token is the same payment and charges nothing more.
 * @param {import("./services.js").Services} services @param {Holder} holder
 * @param {import("./types.js").Payment} payment @param {number} deadline
 * @returns {Promise<string | undefined>} The payment's id.
 */
async function send(services, holder, payment, deadline) {
  /** @type {string | undefined} */
  let paymentId;
  let mayBeTaken = false;
  let renewals = 0;
  for (let attempt = 1; Date.now() < deadline; attempt += 1) {
    try {
      const seconds = Math.min(ANSWER_SECONDS, (deadline - Date.now()) / 1000);
      const accepted = await services.pay(holder.ticket, payment, seconds);
      holder.learned(accepted.paymentId, true);
      return accepted.paymentId;
    } catch (error) {
      if (error instanceof NoAnswer) {
        // The answer is lost. The token may have arrived: send the same one again.
        mayBeTaken = true;
        await pause(Math.min(250 * 2 ** attempt, 2000));
        continue;
      }
      if (!(error instanceof Problem)) throw error;
      if (error.body.paymentId) holder.learned((paymentId = error.body.paymentId), false);
      if (error.status === 429 || error.status >= 500) {
        // `outcome-unknown`, and whatever a proxy says, leave open whether the token has arrived.
        mayBeTaken ||= error.status !== 429 && !UNDONE.includes(error.code);
        await pause(1000 * (error.retryAfter || 1));
        continue;
      }
      // The ticket's time is over. With a fresh one the same token is still the same payment.
      const isLate = error.code === "ticket-expired" || error.code === "payment-late";
      if (isLate && renewals++ < 2 && (await isRenewed(holder))) continue;
      // Too late to be taken now, but perhaps it was taken before: its status says so.
      if (error.code === "payment-late") return paymentId;
      // Refused for certain only if no request before can have been taken.
      if (mayBeTaken) return paymentId;
      throw error;
    }
  }
  return paymentId;
}

/** @param {Holder} holder */
async function isRenewed(holder) {
  try {
    await holder.renew();
    return true;
  } catch (error) {
    if (!(error instanceof Problem || error instanceof NoAnswer)) throw error;
    return false;
  }
}

/**
 * Waits for the outcome. What is unknown when the time is over completes the sheet with success, and the order's page
 * says that the payment is being confirmed: a customer who sees a failure pays again.
 * @param {import("./services.js").Services} services @param {Holder} holder
 * @param {string} paymentId @param {number} deadline
 * @returns {Promise<PaymentEnd>}
 */
async function outcome(services, holder, paymentId, deadline) {
  let message;
  while (Date.now() < deadline) {
    const wait = Math.min(25, Math.floor((deadline - Date.now()) / 1000));
    try {
      const answer = await services.payment(holder.orderId, paymentId, holder.ticket, wait);
      message = answer.message;
      if (answer.final) {
        const isPaid = answer.status === "paid" || answer.status === "authorised";
        return { result: answer.applePay, outcome: isPaid ? "paid" : "failed", message };
      }
    } catch (error) {
      if (!(error instanceof Problem || error instanceof NoAnswer)) throw error;
      await pause(500);
    }
    if (wait === 0) break;
  }
  return { result: { status: "STATUS_SUCCESS", errors: [] }, outcome: "confirming", message };
}
