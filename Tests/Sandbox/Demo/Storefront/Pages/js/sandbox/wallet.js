// The cards of the sandbox's wallet, and its tokens: encrypted like Apple's, under the sandbox's own root.
import { request } from "../http.js";

/**
 * @typedef {{id: string, network: string, suffix: string, type: ApplePayJS.ApplePayPaymentMethodType,
 *   displayName: string, behaviour: "ok" | "declined" | "lost"}} Card
 */

/** @returns {Promise<Card[]>} */
export const cards = () => request("/sandbox/cards");

/**
 * @param {Card} card @param {ApplePayJS.ApplePayPaymentRequest} payment @param {unknown} session
 * @returns {Promise<ApplePayJS.ApplePayPaymentToken>}
 */
export const token = (card, payment, session) => request("/sandbox/token", {
  body: {
    card: card.id, applicationData: payment.applicationData, amount: payment.total.amount,
    currency: payment.currencyCode, session,
  },
});

/** @param {Card} card @returns {ApplePayJS.ApplePayPaymentMethod} Before the payment Apple tells the type only. */
export const methodOf = (card) => /** @type {ApplePayJS.ApplePayPaymentMethod} */ ({ type: card.type });
