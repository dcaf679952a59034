// What the facts and commands of the journal mean, in plain words, and which program wrote them.

/** @type {Record<string, [string, string]>} */
const KNOWN = {
  "order.opened": ["order-ledger", "The shop opened the order."],
  "order.repriced": ["order-ledger", "A choice on the sheet changed the price: a new revision and a new ticket."],
  "order.finalised": ["order-ledger", "The order got its final lines."],
  "order.closed": ["charge-gateway", "The order was closed unpaid."],
  "charge.requested": ["token-ingest", "The token is genuine and decrypted; the card data are sealed for the gateway."],
  "payment.rejected": ["token-ingest", "The token was rejected; nothing was charged."],
  "payment.accepted": ["charge-gateway", "The payment is in the database before a byte is sent to the acquirer."],
  "payment.authorised": ["charge-gateway", "The acquirer holds the amount."],
  "payment.succeeded": ["charge-gateway", "The acquirer has taken the money."],
  "payment.declined": ["charge-gateway", "The payment was declined; no money was taken."],
  "payment.refused": ["charge-gateway", "A second payment of this order was refused."],
  "payment.unknown": ["charge-gateway", "The acquirer has not answered; a query decides."],
  "payment.notCharged": ["charge-gateway", "It is proved that nothing was charged."],
  "payment.conflicted": ["charge-gateway", "The acquirer's answer does not fit; a person must look."],
  "payment.lateSuccess": ["charge-gateway", "Money moved too late; it goes back by itself."],
  "refund.requested": ["order-ledger", "The shop asked for money to be given back."],
  "refund.accepted": ["charge-gateway", "The refund is on its way to the acquirer."],
  "refund.succeeded": ["charge-gateway", "The acquirer has given the money back."],
  "refund.failed": ["charge-gateway", "The refund was not done."],
  "refund.unknown": ["charge-gateway", "The acquirer has not said whether the refund was done; a query decides."],
  "cancel.requested": ["order-ledger", "The order shall be closed."],
  "expire.requested": ["order-ledger", "The order's time is over."],
  "void.requested": ["order-ledger", "The payment shall be undone."],
  "void.succeeded": ["charge-gateway", "The payment was undone."],
  "capture.requested": ["order-ledger", "The held amount shall be taken."],
  "capture.succeeded": ["charge-gateway", "The held amount was taken."],
  "command.rejected": ["charge-gateway", "The gateway rejected the command; nothing was done."],
};

/** @param {string} type As in `orchard.payment.succeeded.v1`.
 * @returns {{program: string, text: string, name: string}} */
export function explain(type) {
  const name = type.replace(/^orchard\./, "").replace(/\.v\d+$/, "");
  const [program, text] = KNOWN[name] ?? ["", name];
  return { program, text, name };
}
