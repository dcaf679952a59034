// The cards of the sandbox's wallet, and its tokens: encrypted like Apple's, under the sandbox's own root.
import { request } from "../http.js";

/**
 * @typedef {{id: string, network: string, suffix: string, type: ApplePayJS.ApplePayPaymentMethodType,
 *   displayName: string, behaviour: string}} Card
 */

/** Which merchant the token is for, and where Apple's sessions come from: a real phone knows both.
 * @returns {Promise<{merchantIdentifier: string, sessionServer: string}>} */
export const setting = () => request("/api/config");

/** @returns {Promise<Card[]>} */
export const cards = () => request("/sandbox/cards");

/**
 * @param {Card} card @param {ApplePayJS.ApplePayPaymentRequest} payment @param {string} merchantIdentifier
 * @param {unknown} session The merchant session that the page got; without a good one there is no token.
 * @returns {Promise<ApplePayJS.ApplePayPaymentToken>}
 */
export const token = (card, payment, merchantIdentifier, session) => request("/sandbox/token", {
  body: {
    card: card.id, amount: payment.total.amount, currency: payment.currencyCode, merchantIdentifier,
    applicationData: payment.applicationData, session,
  },
});

/** @param {Card} card @returns {ApplePayJS.ApplePayPaymentMethod} Before the payment Apple tells the type only. */
export const methodOf = (card) => /** @type {ApplePayJS.ApplePayPaymentMethod} */ ({ type: card.type });
