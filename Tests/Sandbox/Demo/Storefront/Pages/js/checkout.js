// One payment sheet: Apple's events go to the services, their answers go to the sheet as they are.
import { NoAnswer, Problem, pause } from "./http.js";
import { pay } from "./payment.js";
import { keepRecord } from "./records.js";

/** Coupons need version 12 of Apple Pay JS; version 3 is the oldest with errors. */
const VERSION = () => [12, 3].find((version) => ApplePaySession.supportsVersion(version)) ?? 3;
/** Apple waits 30 seconds for the answer to each event. */
const EVENT_SECONDS = 25;

/**
 * @typedef {Object} Ends
 * @property {(orderId: string, isSold: boolean) => void} done Money moved or may have: show the order. `isSold`: the
 *   order is paid or being confirmed; without it nobody has answered, and the customer may pay the same order again.
 * @property {(message: string) => void} failed The sheet says that it failed; it may still be open.
 * @property {(message: string) => void} closed The sheet is gone, nothing was taken.
 */

export class Checkout {
  /** @type {Map<string, unknown>} What the customer chose on this sheet, the newest last. */
  #choices = new Map();
  /** @type {"open" | "sent" | "ended"} */
  #state = "open";
  /** @type {string | undefined} */
  #paymentId;
  #isAccepted = false;

  /**
   * @param {import("./services.js").Services} services
   * @param {import("./types.js").OpenedOrder} order
   * @param {() => Promise<import("./types.js").OpenedOrder>} reopen Opens the same order again: its newest revision.
   * @param {Ends} ends
   */
  constructor(services, order, reopen, ends) {
    this.services = services;
    this.order = order;
    this.orderId = order.orderId;
    this.ticket = order.ticket;
    this.reopen = reopen;
    this.ends = ends;
  }

  /** Shows the sheet. Call it in the click itself: browsers let nothing else open one. */
  begin() {
    const session = new ApplePaySession(VERSION(), this.order.paymentRequest);
    session.onvalidatemerchant = (event) => this.#guard(session, async () => {
      const merchantSession = await this.#repeat(() =>
        this.services.merchantSession(this.ticket, event.validationURL));
      session.completeMerchantValidation(merchantSession);
    });
    session.onpaymentmethodselected = (event) => this.#guard(session, async () => {
      const answer = await this.#choose("payment-method", { paymentMethod: { type: event.paymentMethod.type } });
      session.completePaymentMethodSelection(forSheet(answer.paymentMethodUpdate));
    });
    session.onshippingcontactselected = (event) => this.#guard(session, async () => {
      const answer = await this.#choose("shipping-contact", { shippingContact: event.shippingContact });
      session.completeShippingContactSelection(forSheet(answer.shippingContactUpdate));
    });
    session.onshippingmethodselected = (event) => this.#guard(session, async () => {
      const answer = await this.#choose("shipping-method", { shippingMethod: event.shippingMethod });
      session.completeShippingMethodSelection(forSheet(answer.shippingMethodUpdate));
    });
    session.oncouponcodechanged = (event) => this.#guard(session, async () => {
      const answer = await this.#choose("coupon-code", { couponCode: event.couponCode });
      session.completeCouponCodeChange(forSheet(answer.couponCodeUpdate));
    });
    session.onpaymentauthorized = (event) => this.#guard(session, () => this.#pay(session, event.payment));
    session.oncancel = () => this.#cancelled();
    session.begin();
  }

  /** @param {ApplePaySession} session @param {ApplePayJS.ApplePayPayment} authorised */
  async #pay(session, { token, billingContact, shippingContact }) {
    this.#paymentId = undefined;
    this.#isAccepted = false;
    this.#keep("sent");
    const end = await pay(this.services, this, { token, billingContact, shippingContact });
    try {
      session.completePayment({
        status: ApplePaySession[end.result.status],
        errors: end.result.errors.map(errorForSheet),
      });
    } catch {
      // The sheet has ended by itself. What became of the payment holds all the same.
    }
    if (end.outcome === "failed") {
      this.#keep("open");
      this.ends.failed(end.message ?? "The payment was declined. Nothing was taken.");
    } else {
      // "confirming" and "unreachable" stay "sent": the order's page goes on asking.
      this.#keep(end.outcome === "paid" ? "ended" : "sent");
      this.ends.done(this.orderId, end.outcome !== "unreachable");
    }
  }

  /** A dismissed sheet closes nothing: the order stays open, and the customer may open the sheet again. */
  #cancelled() {
    const text = "The sheet was closed. Nothing was taken, and your cart is as it was.";
    if (this.#state === "open") this.ends.closed(text);
    else this.ends.done(this.orderId, this.#isAccepted);
  }

  /** @param {string} name @param {unknown} choice @returns {Promise<import("./types.js").CallbackAnswer>} */
  async #choose(name, choice) {
    this.#choices.delete(name);
    this.#choices.set(name, choice);
    try {
      return await this.#ask(name, choice);
    } catch (error) {
      if (!(error instanceof Problem && error.code === "ticket-superseded")) throw error;
      // Another window changed this order. Its newest revision gets all that was chosen on this sheet.
      this.#adopt(await this.reopen());
      let answer;
      for (const [each, chosen] of this.#choices) answer = await this.#ask(each, chosen);
      if (!answer) throw error;
      return answer;
    }
  }

  /** @param {string} name @param {unknown} choice @returns {Promise<import("./types.js").CallbackAnswer>} */
  async #ask(name, choice) {
    const answer = await this.#repeat(() => this.services.choose(this.orderId, name, this.ticket, choice));
    this.#adopt(answer);
    return answer;
  }

  /** Repeats what is safe to repeat while no answer comes, and with a fresh ticket when the old one has expired.
   * @template T @param {() => Promise<T>} call @returns {Promise<T>} */
  async #repeat(call) {
    const deadline = Date.now() + EVENT_SECONDS * 1000;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await call();
      } catch (error) {
        const isOver = Date.now() > deadline - 1000;
        if (error instanceof Problem && error.code === "ticket-expired" && attempt < 3) await this.renew();
        else if (error instanceof NoAnswer && !isOver) await pause(500);
        else if (error instanceof Problem && [429, 503].includes(error.status) && !isOver) {
          await pause(1000 * (error.retryAfter || 1));
        } else throw error;
      }
    }
  }

  /** @param {string} paymentId @param {boolean} isAccepted */
  learned(paymentId, isAccepted) {
    this.#paymentId = paymentId;
    this.#isAccepted ||= isAccepted;
    this.#keep("sent");
  }

  async renew() {
    this.#adopt(await this.services.freshTicket(this.orderId, this.ticket));
  }

  /** @param {import("./types.js").FreshTicket} fresh */
  #adopt(fresh) {
    this.ticket = fresh.ticket;
    this.#keep(this.#state);
  }

  /** @param {"open" | "sent" | "ended"} state */
  #keep(state) {
    this.#state = state;
    keepRecord({
      orderId: this.orderId, ticket: this.ticket, paymentId: this.#paymentId, isAccepted: this.#isAccepted, state,
    });
  }

  /** What cannot be answered ends the sheet: it must not wait for Apple's time limit.
   * @param {ApplePaySession} session @param {() => Promise<void>} work */
  async #guard(session, work) {
    try {
      await work();
    } catch (error) {
      try {
        session.abort();
      } catch {
        // The sheet has ended meanwhile.
      }
      if (this.#state === "sent") this.ends.done(this.orderId, this.#isAccepted);
      else this.ends.closed(error instanceof Problem || error instanceof NoAnswer
        ? `The sheet was closed: ${error.message} Nothing was taken.` : "The sheet was closed. Nothing was taken.");
      if (!(error instanceof Problem || error instanceof NoAnswer)) throw error;
    }
  }
}

/** @param {import("./types.js").SheetUpdate | undefined} update */
function forSheet(update) {
  if (!update) throw new Problem(502, { detail: "The answer has no update for the sheet." }, 0);
  return { ...update, errors: update.errors?.map(errorForSheet) };
}

/** @param {ApplePayJS.ApplePayError} error */
const errorForSheet = (error) => new ApplePayError(error.code, error.contactField, error.message);
