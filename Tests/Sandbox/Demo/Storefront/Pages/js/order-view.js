// The order as its page shows it.
import { byId, clock, make } from "./dom.js";
import { explain } from "./facts.js";
import { decimalOfMinor, money, moneyOfMinor } from "./money.js";

/** @typedef {import("./types.js").Order} Order */

/** @type {Record<string, [string, string]>} */
const TITLES = {
  open: ["Not paid yet", "Nothing was taken. The order stays open for a while; you may pay it from the shop."],
  paid: ["Thank you. Your tea is paid.", "We pack it today."],
  authorised: ["Thank you. The amount is held on your card.", "It is taken when your tea leaves."],
  cancelled: ["The order is cancelled", "Nothing was taken."],
  expired: ["The order's time is over", "Nothing was taken."],
  voided: ["The payment was undone", "You have your money back."],
  review: ["We are looking at your payment", "A person checks it before we deliver."],
};

export class OrderView {
  /** @param {import("./types.js").Config} config @param {string} orderId */
  constructor(config, orderId) {
    this.config = config;
    byId("order-number").textContent = orderId;
    byId("behind-link").setAttribute("href", `/behind.html?order=${encodeURIComponent(orderId)}`);
    document.title = `Order – ${config.shopName}`;
  }

  /** @param {Order} order @param {import("./types.js").Timeline} timeline @param {boolean} isConfirming */
  show(order, timeline, isConfirming) {
    const isOpen = order.status === "open";
    const isReturned = order.amounts && order.amounts.captured > 0 && order.amounts.refunded === order.amounts.captured;
    let [title, lead] = TITLES[order.status] ?? [order.status, ""];
    if (isOpen && isConfirming) {
      [title, lead] = ["We are confirming your payment", "You need not do anything, and must not pay again elsewhere."];
    }
    if (isReturned) [title, lead] = ["Your money is on its way back", "All of it was refunded."];
    byId("order-title").textContent = title;
    byId("order-lead").textContent = lead;
    byId("order-state").dataset.status = isOpen && isConfirming ? "confirming" : order.status;
    this.#showLines(order);
    this.#showPayments(order);
    this.#showTimeline(timeline);
    byId("open-actions").hidden = !isOpen || isConfirming;
    this.#showRefund(order);
  }

  /** @param {string} text */
  say(text) {
    byId("status").textContent = text;
  }

  /** @param {string} text */
  warn(text) {
    byId("warning").textContent = text;
  }

  /** @param {Order} order */
  #showLines(order) {
    const { currency, ...totals } = order.totals;
    const goods = (order.lines ?? []).map((line) => this.#line(
      `${line.quantity && line.quantity > 1 ? `${line.quantity} × ` : ""}${line.label}`,
      line.unitAmount ? money(line.unitAmount, currency) : ""));
    const shipping = order.shipping ? `Shipping: ${order.shipping.label}` : "Shipping";
    byId("lines").replaceChildren(...goods,
      ...(totals.discount ? [this.#line("Discount", moneyOfMinor(-totals.discount, currency))] : []),
      ...(totals.shipping || order.shipping ? [this.#line(shipping, moneyOfMinor(totals.shipping, currency))] : []),
      ...(totals.tax ? [this.#line("Tax", moneyOfMinor(totals.tax, currency))] : []),
      this.#line("Total", moneyOfMinor(totals.total, currency), "total"));
  }

  /** @param {string} label @param {string} amount @param {string} [className] */
  #line(label, amount, className) {
    return make("li", { class: className }, make("span", {}, label), make("span", { class: "amount" }, amount));
  }

  /** @param {Order} order */
  #showPayments(order) {
    const rows = order.payments.map((payment) => {
      const card = payment.card?.confirmation
        ?? (payment.card ? `${payment.card.network} ▪▪▪▪${payment.card.lastFour}` : "Apple Pay");
      const why = payment.reason ? ` (${payment.reason})` : "";
      return this.#line(`${card}: ${payment.status}${why}`,
        moneyOfMinor(payment.amount.minorUnits, payment.amount.currency));
    });
    const back = (order.followUps ?? []).map((each) => this.#line(
      `${each.kind}: ${each.status}`, moneyOfMinor(-each.amount.minorUnits, each.amount.currency)));
    byId("payments-section").hidden = rows.length === 0;
    byId("payments").replaceChildren(...rows, ...back);
  }

  /** @param {import("./types.js").Timeline} timeline */
  #showTimeline(timeline) {
    byId("timeline").replaceChildren(...timeline.events.map((event) => {
      const fact = explain(event.type);
      return make("li", {},
        make("time", { datetime: event.time }, clock(event.time)),
        make("div", {},
          make("span", { class: "fact" }, fact.text),
          make("span", { class: `program ${fact.program}` }, fact.program || "Orchard"),
          make("code", {}, fact.name)));
    }));
  }

  /** @param {Order} order */
  #showRefund(order) {
    const refundable = order.amounts?.refundable ?? 0;
    const currency = order.amounts?.currency ?? order.totals.currency;
    byId("refund").hidden = refundable === 0;
    byId("refundable").textContent = `${moneyOfMinor(refundable, currency)} can be given back.`;
    const field = /** @type {HTMLInputElement} */ (byId("refund-amount"));
    if (document.activeElement !== field) field.value = decimalOfMinor(refundable, currency);
  }
}
