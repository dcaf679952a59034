// What a page calls of the two services, with its order's ticket (docs/openapi).
import { request } from "./http.js";

/** @typedef {import("./types.js").Config} Config */

export class Services {
  /** @param {Pick<Config, "ledger" | "ingest">} config */
  constructor(config) {
    this.ledger = config.ledger;
    this.ingest = config.ingest;
  }

  /** A merchant session, for `completeMerchantValidation`; nobody else understands it.
   * @param {string} ticket @param {string} validationURL @returns {Promise<any>} */
  merchantSession(ticket, validationURL) {
    return request(`${this.ingest}/v1/apple-pay/session`, { ticket, body: { validationURL }, seconds: 12 });
  }

  /** Pays with Apple's token. Safe to repeat: the same token is the same payment.
   * @param {string} ticket @param {import("./types.js").Payment} payment @param {number} seconds
   * @returns {Promise<import("./types.js").Accepted>} */
  pay(ticket, payment, seconds) {
    return request(`${this.ingest}/v1/payments`, { ticket, body: payment, seconds });
  }

  /** How the payment ends: answers when it has an outcome, or after `wait` seconds with what is known.
   * @param {string} orderId @param {string} paymentId @param {string} ticket @param {number} wait
   * @returns {Promise<import("./types.js").PaymentAnswer>} */
  payment(orderId, paymentId, ticket, wait) {
    const path = `/v1/orders/${orderId}/payments/${paymentId}?wait=${wait}`;
    return request(this.ledger + path, { ticket, seconds: wait + 5 });
  }

  /** A choice on the sheet: `shipping-contact`, `shipping-method`, `coupon-code` or `payment-method`.
   * @param {string} orderId @param {string} name @param {string} ticket @param {unknown} body
   * @returns {Promise<import("./types.js").CallbackAnswer>} */
  choose(orderId, name, ticket, body) {
    return request(`${this.ledger}/v1/orders/${orderId}/${name}`, { ticket, body, seconds: 8 });
  }

  /** A fresh ticket of the same revision; the old one may have expired.
   * @param {string} orderId @param {string} ticket @returns {Promise<import("./types.js").FreshTicket>} */
  freshTicket(orderId, ticket) {
    return request(`${this.ledger}/v1/orders/${orderId}/ticket`, { ticket, body: {} });
  }
}
