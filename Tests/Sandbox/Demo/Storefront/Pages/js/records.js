// What this window knows of its orders, so that a reload in the middle of a payment finds the outcome again.
// sessionStorage: the ticket is the customer's only credential, and stays in the window that has it.

/**
 * @typedef {{orderId: string, ticket: string, paymentId?: string, isAccepted?: boolean,
 *   state: "open" | "sent" | "ended"}} OrderRecord
 *   `sent`: a token left this page, and the page has not heard what became of it.
 */

const PREFIX = "tea.order.";
const CURRENT = "tea.current";

/** @param {string} orderId @returns {OrderRecord | undefined} */
export function recordOf(orderId) {
  try {
    return JSON.parse(sessionStorage.getItem(PREFIX + orderId) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

/** @param {OrderRecord} record */
export function keepRecord(record) {
  sessionStorage.setItem(PREFIX + record.orderId, JSON.stringify(record));
  sessionStorage.setItem(CURRENT, record.orderId);
}

/** The order whose payment this window has sent without having heard its outcome.
 * @returns {OrderRecord | undefined} */
export function unfinishedRecord() {
  const record = recordOf(sessionStorage.getItem(CURRENT) ?? "");
  return record?.state === "sent" ? record : undefined;
}

/** @param {string} orderId @returns {string} */
export const orderPage = (orderId) => `/order.html?id=${encodeURIComponent(orderId)}`;
