// The order's page: what became of it, and the money back.
import { Cart } from "./cart.js";
import { byId, make } from "./dom.js";
import { NoAnswer, Problem, pause, request } from "./http.js";
import { decimalOfMinor } from "./money.js";
import { OrderView } from "./order-view.js";
import { Orders } from "./orders.js";
import { keepRecord, recordOf } from "./records.js";
import { Services } from "./services.js";

/** How long the page looks for a payment that no service has confirmed. */
const LOOK_SECONDS = 30;

class OrderPage {
  /** @type {string | undefined} Of the refund that is asked for: a repeated request gives nothing back twice. */
  #refundKey;

  /** @param {import("./types.js").Config} config @param {import("./records.js").OrderRecord} record */
  constructor(config, record) {
    this.services = new Services(config);
    this.record = record;
    this.view = new OrderView(config, record.orderId);
    byId("refund").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#refund();
    });
    byId("cancel").addEventListener("click", () => this.#cancel());
  }

  async run() {
    await this.#reload();
    if (this.record.state === "sent") await this.#confirm();
  }

  /** @returns {Promise<import("./types.js").Order>} */
  async #reload() {
    const { orderId, ticket } = this.record;
    const [order, timeline] = await Promise.all([
      request(`/api/orders/${orderId}`, { ticket }), request(`/api/orders/${orderId}/timeline`, { ticket }),
    ]);
    this.view.show(order, timeline, this.record.state === "sent");
    return order;
  }

  /** Asks until the payment has an outcome: this window sent a token and has not heard what became of it. */
  async #confirm() {
    const begun = Date.now();
    while (this.record.state === "sent") {
      try {
        const isKnown = await this.#confirmOnce();
        // No service ever took the token. Should it come yet, the order still cannot be charged twice.
        const isLost = !isKnown && !this.record.isAccepted && Date.now() - begun > LOOK_SECONDS * 1000;
        if (isLost) this.#keep("open");
        else if (this.record.state === "sent") await pause(1000);
      } catch (error) {
        if (!(error instanceof Problem || error instanceof NoAnswer)) throw error;
        this.view.warn("The services do not answer. This page goes on asking.");
        await pause(2000);
        continue;
      }
      this.view.warn("");
      await this.#reload();
    }
  }

  /** @returns {Promise<boolean>} Whether anything is known of the payment. */
  async #confirmOnce() {
    const { orderId, ticket, paymentId } = this.record;
    if (paymentId) {
      const answer = await this.services.payment(orderId, paymentId, ticket, 25);
      if (answer.message && answer.final) this.view.say(answer.message);
      if (answer.final) this.#keep(["paid", "authorised"].includes(answer.status) ? "ended" : "open");
      return answer.known;
    }
    const order = await this.#reload();
    this.record.paymentId = order.payments.at(-1)?.paymentId;
    return this.record.paymentId !== undefined;
  }

  /** @param {"open" | "ended"} state */
  #keep(state) {
    this.record.state = state;
    keepRecord(this.record);
    const orders = new Orders();
    // After a reload in the middle the cart still holds what is paid now.
    if (state !== "ended" || !orders.isKept) return;
    orders.forget();
    new Cart().clear();
  }

  async #refund() {
    const field = /** @type {HTMLInputElement} */ (byId("refund-amount"));
    const button = /** @type {HTMLButtonElement} */ (byId("refund-button"));
    this.#refundKey ??= crypto.randomUUID();
    button.disabled = true;
    this.view.warn("");
    try {
      const path = `/api/orders/${this.record.orderId}/refunds`;
      const body = { amount: field.value.trim() };
      const command = await request(path, { ticket: this.record.ticket, key: this.#refundKey, body });
      this.#refundKey = undefined;
      const amount = decimalOfMinor(command.amount.minorUnits, command.amount.currency);
      this.view.say(`${amount} ${command.amount.currency} is on its way back.`);
      await this.#awaitRefund(command.commandId);
    } catch (error) {
      if (error instanceof Problem) this.#refundKey = undefined;
      this.view.warn(`The refund: ${error instanceof Error ? error.message : error}`);
    }
    button.disabled = false;
  }

  /** Waits for the refund's end, and then shows the order.
   * @param {string} commandId */
  async #awaitRefund(commandId) {
    const path = `/api/orders/${this.record.orderId}/commands/${commandId}?wait=25`;
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const command = await request(path, { ticket: this.record.ticket, seconds: 30 });
      await this.#reload();
      if (command.final) {
        return this.view.say(command.status === "done" ? "The money was given back." : "The refund was not done.");
      }
    }
    this.view.say("The acquirer has not said yet whether the money was given back. Nothing is done twice.");
  }

  async #cancel() {
    this.view.warn("");
    try {
      await request(`/api/orders/${this.record.orderId}/cancel`, { ticket: this.record.ticket, body: {} });
      for (let second = 0; second < 20; second += 1) {
        const order = await this.#reload();
        if (order.status !== "open") break;
        await pause(500);
      }
      new Orders().forget();
    } catch (error) {
      this.view.warn(`The order: ${error instanceof Error ? error.message : error}`);
    }
  }
}

async function start() {
  const record = recordOf(new URLSearchParams(location.search).get("id") ?? "");
  const main = byId("main");
  try {
    if (!record) {
      byId("order-title").textContent = "This order is shown elsewhere";
      byId("order-lead").replaceChildren("Only the window that opened an order has its ticket, and the ticket is what ",
        "shows it. ", make("a", { href: "/" }, "To the shop"));
      byId("order-body").hidden = true;
    } else await new OrderPage(await request("/api/config"), record).run();
  } catch (error) {
    byId("warning").textContent = `The order cannot be shown: ${error instanceof Error ? error.message : error}`;
  }
  main.removeAttribute("aria-busy");
}

start();
