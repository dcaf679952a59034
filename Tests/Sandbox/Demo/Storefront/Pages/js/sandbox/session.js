// `ApplePaySession` without an iPhone: the same members, the same order of events, the same time limits.
import { CONTACTS, askedContact, cutContact } from "./contacts.js";
import { loseNextAnswer } from "./lost-answer.js";
import { Sheet } from "./sheet.js";
import { cards, methodOf, setting, token } from "./wallet.js";

/** Apple waits so long for the answer to each event; then the sheet says that it failed. */
const EVENT_SECONDS = 30;
const NEWEST_VERSION = 14;

/** @type {SandboxSession | undefined} Only one sheet can be open. */
let active;

export class SandboxSession extends EventTarget {
  static STATUS_SUCCESS = 0;
  static STATUS_FAILURE = 1;
  static STATUS_INVALID_BILLING_POSTAL_ADDRESS = 2;
  static STATUS_INVALID_SHIPPING_POSTAL_ADDRESS = 3;
  static STATUS_INVALID_SHIPPING_CONTACT = 4;
  static STATUS_PIN_REQUIRED = 5;
  static STATUS_PIN_INCORRECT = 6;
  static STATUS_PIN_LOCKOUT = 7;

  static canMakePayments() {
    return true;
  }

  /** @param {string} _merchant @returns {Promise<ApplePayJS.PaymentCredentialStatusResponse>} */
  static async applePayCapabilities(_merchant) {
    return { paymentCredentialStatus: "paymentCredentialsAvailable" };
  }

  /** @param {string} _merchant */
  static async canMakePaymentsWithActiveCard(_merchant) {
    return true;
  }

  /** @param {string} _merchant */
  static async openPaymentSetup(_merchant) {
    return true;
  }

  /** @param {number} version */
  static supportsVersion(version) {
    return Number.isInteger(version) && version > 0 && version <= NEWEST_VERSION;
  }

  /** @type {(event: ApplePayJS.Event) => void} */
  oncancel = unset;
  /** @type {(event: ApplePayJS.ApplePayPaymentAuthorizedEvent) => void} */
  onpaymentauthorized = unset;
  /** @type {(event: ApplePayJS.ApplePayPaymentMethodSelectedEvent) => void} */
  onpaymentmethodselected = unset;
  /** @type {(event: ApplePayJS.ApplePayShippingContactSelectedEvent) => void} */
  onshippingcontactselected = unset;
  /** @type {(event: ApplePayJS.ApplePayShippingMethodSelectedEvent) => void} */
  onshippingmethodselected = unset;
  /** @type {(event: ApplePayJS.ApplePayValidateMerchantEvent) => void} */
  onvalidatemerchant = unset;
  /** @type {(event: ApplePayJS.ApplePayCouponCodeChangedEvent) => void} */
  oncouponcodechanged = unset;

  /** @type {"new" | "active" | "ended"} */
  #state = "new";
  /** @type {{type: string, answer: (value: any) => void} | undefined} The event that the page has yet to answer. */
  #open;
  /** @type {Promise<void>} Events go one after the other. */
  #queue = Promise.resolve();
  /** @type {unknown} */
  #merchantSession;
  #merchantIdentifier = "";
  #contact = CONTACTS[0].contact;
  /** @type {Sheet | undefined} */
  sheet;
  /** @type {import("./wallet.js").Card | undefined} */
  card;

  /** @param {number} version @param {ApplePayJS.ApplePayPaymentRequest} paymentRequest */
  constructor(version, paymentRequest) {
    super();
    if (!SandboxSession.supportsVersion(version)) throw new TypeError(`Version ${version} is not supported.`);
    if (!/^\d+(\.\d+)?$/.test(paymentRequest?.total?.amount ?? "") || !paymentRequest.total.label) {
      throw new TypeError("The total needs a label and an amount.");
    }
    if (!paymentRequest.supportedNetworks?.length || !paymentRequest.merchantCapabilities?.length) {
      throw new TypeError("supportedNetworks and merchantCapabilities must not be empty.");
    }
    this.request = structuredClone(paymentRequest);
  }

  begin() {
    if (this.#state !== "new" || active) throw new DOMException("A sheet is open already.", "InvalidAccessError");
    active = this;
    this.#state = "active";
    this.sheet = new Sheet(this.request, {
      cardChosen: (card) => this.#do(() => this.#cardChosen(card)),
      contactChosen: (id) => this.#do(() => this.#contactChosen(id)),
      methodChosen: (method) => this.#do(() => this.#methodChosen(method)),
      couponEntered: (code) => this.#do(() => this.#couponEntered(code)),
      confirmed: () => this.#do(() => this.#confirmed()),
      cancelled: () => this.#cancel(),
    });
    this.sheet.show();
    this.#do(() => this.#validate());
  }

  abort() {
    this.#mustBeActive();
    this.#end();
  }

  /** @param {any} merchantSession */
  completeMerchantValidation(merchantSession) {
    this.#answer("validatemerchant", merchantSession);
  }

  /** @param {any} update @param {ApplePayJS.ApplePayLineItem[]} [newLineItems] */
  completePaymentMethodSelection(update, newLineItems) {
    const isOld = newLineItems !== undefined;
    this.#answer("paymentmethodselected", isOld ? { newTotal: update, newLineItems } : update);
  }

  /** @param {any} update @param {ApplePayJS.ApplePayShippingMethod[]} [newShippingMethods]
   * @param {ApplePayJS.ApplePayLineItem} [newTotal] @param {ApplePayJS.ApplePayLineItem[]} [newLineItems] */
  completeShippingContactSelection(update, newShippingMethods, newTotal, newLineItems) {
    const isOld = typeof update === "number";
    this.#answer("shippingcontactselected", isOld ? { newShippingMethods, newTotal, newLineItems } : update);
  }

  /** @param {any} update @param {ApplePayJS.ApplePayLineItem} [newTotal]
   * @param {ApplePayJS.ApplePayLineItem[]} [newLineItems] */
  completeShippingMethodSelection(update, newTotal, newLineItems) {
    this.#answer("shippingmethodselected", typeof update === "number" ? { newTotal, newLineItems } : update);
  }

  /** @param {ApplePayJS.ApplePayCouponCodeUpdate} update */
  completeCouponCodeChange(update) {
    this.#answer("couponcodechanged", update);
  }

  /** @param {number | ApplePayJS.ApplePayPaymentAuthorizationResult} result */
  completePayment(result) {
    this.#answer("paymentauthorized", typeof result === "number" ? { status: result } : result);
  }

  async #validate() {
    const { merchantIdentifier, sessionServer } = await setting();
    this.#merchantIdentifier = merchantIdentifier;
    this.#merchantSession = await this.#ask("validatemerchant", { validationURL: sessionServer });
    const [first] = this.sheet?.useCards(await cards()) ?? [];
    if (first) await this.#cardChosen(first);
    const asksAddress = this.request.requiredShippingContactFields?.includes("postalAddress");
    if (asksAddress) await this.#contactChosen(CONTACTS[0].id);
  }

  /** @param {import("./wallet.js").Card} card */
  async #cardChosen(card) {
    this.card = card;
    this.#apply(await this.#ask("paymentmethodselected", { paymentMethod: methodOf(card) }));
  }

  /** @param {string} id */
  async #contactChosen(id) {
    this.#contact = (CONTACTS.find((each) => each.id === id) ?? CONTACTS[0]).contact;
    this.#apply(await this.#ask("shippingcontactselected", { shippingContact: cutContact(this.#contact) }));
  }

  /** @param {ApplePayJS.ApplePayShippingMethod} shippingMethod */
  async #methodChosen(shippingMethod) {
    this.#apply(await this.#ask("shippingmethodselected", { shippingMethod }));
  }

  /** @param {string} couponCode */
  async #couponEntered(couponCode) {
    this.#apply(await this.#ask("couponcodechanged", { couponCode }), true);
  }

  async #confirmed() {
    const { sheet, card } = this;
    if (!sheet || !card) return;
    if (!(await sheet.recognise())) return;
    /** @type {ApplePayJS.ApplePayPaymentToken} */
    let made;
    try {
      made = await token(card, this.request, this.#merchantIdentifier, this.#merchantSession);
    } catch (error) {
      return sheet.fail(`The wallet made no token: ${error instanceof Error ? error.message : error}`);
    }
    if (sheet.takeLostAnswer()) loseNextAnswer();
    const fields = this.request.requiredShippingContactFields ?? [];
    const shippingContact = fields.length ? askedContact(this.#contact, fields) : undefined;
    const result = await this.#ask("paymentauthorized", { payment: { token: made, shippingContact } });
    if (result === undefined || result.status === SandboxSession.STATUS_SUCCESS) {
      await sheet.succeed();
      return this.#end();
    }
    // Like an iPhone's, the sheet stays: the customer takes another card, or closes it.
    sheet.showErrors(result.errors ?? []);
    const isPIN = result.status >= SandboxSession.STATUS_PIN_REQUIRED;
    sheet.fail(isPIN ? "The card's PIN is wrong." : "Payment not completed");
  }

  /** @param {any} update @param {boolean} [isCoupon] */
  #apply(update, isCoupon = false) {
    if (!update) return;
    if (update.newTotal) this.request.total = update.newTotal;
    if (update.newLineItems) this.request.lineItems = update.newLineItems;
    if (update.newShippingMethods?.length) this.request.shippingMethods = update.newShippingMethods;
    this.sheet?.update(this.request);
    this.sheet?.showErrors(update.errors ?? [], isCoupon);
  }

  /** @param {() => Promise<void>} work */
  #do(work) {
    this.#queue = this.#queue.then(async () => {
      if (this.#state !== "active") return;
      this.sheet?.setBusy(true);
      try {
        await work();
      } catch (error) {
        if (this.#state !== "active") return;
        this.sheet?.fail(error instanceof TimeLimit ? "Payment not completed: the shop did not answer."
          : "Apple Pay is not available now.");
        if (error instanceof TimeLimit) setTimeout(() => this.#cancel(), 2000);
      }
      this.sheet?.setBusy(false);
    });
  }

  /** Tells the page, and waits for the completion that belongs to the event.
   * @param {keyof Members} type @param {Record<string, unknown>} members @returns {Promise<any>} */
  #ask(type, members) {
    const event = Object.assign(new Event(type), members);
    const handler = /** @type {(event: any) => void} */ (this[`on${type}`]);
    if (handler === unset) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#open = undefined;
        reject(new TimeLimit());
      }, EVENT_SECONDS * 1000);
      this.#open = {
        type,
        answer: (value) => {
          clearTimeout(timer);
          this.#open = undefined;
          resolve(value);
        },
      };
      handler.call(this, event);
      this.dispatchEvent(event);
    });
  }

  /** @param {string} type @param {any} value */
  #answer(type, value) {
    this.#mustBeActive();
    if (this.#open?.type !== type) {
      throw new DOMException(`The sheet awaits no answer to ${type}.`, "InvalidAccessError");
    }
    this.#open.answer(value);
  }

  #mustBeActive() {
    if (this.#state !== "active") throw new DOMException("The sheet is not open.", "InvalidAccessError");
  }

  #cancel() {
    if (this.#state !== "active") return;
    this.#end();
    const event = new Event("cancel");
    this.oncancel(/** @type {any} */ (event));
    this.dispatchEvent(event);
  }

  #end() {
    this.#state = "ended";
    if (active === this) active = undefined;
    this.sheet?.close();
  }
}

/**
 * @typedef {{validatemerchant: 1, paymentmethodselected: 1, shippingcontactselected: 1, shippingmethodselected: 1,
 *   couponcodechanged: 1, paymentauthorized: 1}} Members
 */

/** The page took longer than Apple waits. */
class TimeLimit extends Error {}

/** What a handler is before the page sets one: Apple's sheet then goes on by itself. */
function unset() {}
