// The sheet as the customer sees it: a modal dialog, from below on narrow screens.
import { make } from "../dom.js";
import { money } from "../money.js";
import { Choices } from "./choices.js";
import { CONTACTS } from "./contacts.js";

/**
 * @typedef {import("./wallet.js").Card} Card
 * @typedef {Object} Listeners
 * @property {(card: Card) => void} cardChosen
 * @property {(id: string) => void} contactChosen
 * @property {(method: ApplePayJS.ApplePayShippingMethod) => void} methodChosen
 * @property {(code: string) => void} couponEntered
 * @property {() => void} confirmed
 * @property {() => void} cancelled
 */

const FACE_MILLISECONDS = 700;
const TICK_MILLISECONDS = 1200;

export class Sheet {
  /** @type {Card[]} */
  #cards = [];
  #hasAddressError = false;
  #isPaying = false;

  /** @param {ApplePayJS.ApplePayPaymentRequest} request @param {Listeners} listeners */
  constructor(request, listeners) {
    this.request = request;
    this.listeners = listeners;
    this.choices = new Choices();
    const asksAddress = request.requiredShippingContactFields?.includes("postalAddress") ?? false;
    this.card = make("select", { id: "sheet-card", change: () => this.#chooseCard() });
    this.cardArt = make("span", { class: "card-art", "aria-hidden": "true" });
    /** @type {HTMLSelectElement} */
    this.contact = make("select", { id: "sheet-contact", change: () => listeners.contactChosen(this.contact.value) },
      ...CONTACTS.map(({ id, name }) => make("option", { value: id }, name)));
    this.contactError = make("p", { class: "sheet-error", id: "sheet-contact-error", role: "alert" });
    this.methods = make("fieldset", { class: "sheet-row methods" });
    this.coupon = make("input", {
      id: "sheet-coupon", autocomplete: "off", maxlength: 64, spellcheck: "false", value: request.couponCode,
    });
    this.couponError = make("p", { class: "sheet-error", id: "sheet-coupon-error", role: "alert" });
    this.lines = make("ul", { class: "sheet-lines" });
    this.total = make("p", { class: "sheet-total" });
    this.message = make("p", { class: "sheet-message", role: "status" });
    this.confirm = make("button", { type: "button", class: "confirm", click: () => this.#confirm() },
      make("span", { class: "face", "aria-hidden": "true" }), "Pay with Face ID");
    this.cancel = make("button", { type: "button", class: "cancel", click: () => this.#cancel() }, "Cancel");
    this.contact.setAttribute("aria-describedby", this.contactError.id);
    this.coupon.setAttribute("aria-describedby", this.couponError.id);
    this.dialog = make("dialog", { class: "phone", "aria-labelledby": "sheet-title", keydown: this.#keepFocus },
      this.choices.panel,
      make("section", { class: "sheet", "aria-labelledby": "sheet-title" },
        make("header", {}, make("h2", { id: "sheet-title" }, "Apple Pay", make("small", {}, " sandbox")), this.cancel),
        make("div", { class: "sheet-body" },
          this.#row("Card", this.card, this.cardArt),
          asksAddress && this.#row("Ship to", this.contact, this.contactError),
          this.methods,
          request.supportsCouponCode && this.#couponRow(),
          this.lines),
        make("footer", {}, this.total, this.message, this.confirm)));
    this.dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      this.#cancel();
    });
    // Browsers close a dialog by force when Escape is pressed again.
    this.dialog.addEventListener("close", () => this.dialog.isConnected && listeners.cancelled());
    this.update(request);
  }

  show() {
    this.returnTo = document.activeElement;
    document.body.append(this.dialog);
    this.dialog.showModal();
    this.cancel.focus();
  }

  close() {
    this.dialog.remove();
    if (this.returnTo instanceof HTMLElement) this.returnTo.focus();
  }

  /** @param {Card[]} cards @returns {Card[]} Those whose network the shop takes. */
  useCards(cards) {
    const networks = this.request.supportedNetworks.map((network) => network.toLowerCase());
    this.#cards = cards.filter((card) => networks.includes(card.network.toLowerCase()));
    this.card.replaceChildren(...this.#cards.map((card) =>
      make("option", { value: card.id }, card.displayName)));
    this.choices.showCards(this.#cards);
    this.#showArt();
    return this.#cards;
  }

  /** @param {ApplePayJS.ApplePayPaymentRequest} request */
  update(request) {
    this.request = request;
    const amount = (/** @type {ApplePayJS.ApplePayLineItem} */ item) => money(item.amount, request.currencyCode);
    this.lines.replaceChildren(...(request.lineItems ?? []).map((item) =>
      make("li", {}, make("span", {}, item.label), make("span", { class: "amount" }, amount(item)))));
    this.total.replaceChildren(
      make("span", {}, `Pay ${request.total.label}`), make("strong", {}, amount(request.total)));
    this.#showMethods(request.shippingMethods ?? []);
  }

  /** @param {ApplePayJS.ApplePayError[]} errors @param {boolean} [isCoupon] */
  showErrors(errors, isCoupon = false) {
    const coupon = errors.filter((error) => error.code.startsWith("couponCode"));
    const others = errors.filter((error) => !error.code.startsWith("couponCode"));
    this.couponError.textContent = coupon.map((error) => error.message).join(" ");
    this.coupon.toggleAttribute("aria-invalid", coupon.length > 0);
    if (!isCoupon) {
      this.contactError.textContent = others.map((error) => error.message).join(" ");
      this.#hasAddressError = others.length > 0;
    }
    this.message.textContent = isCoupon && coupon.length === 0 && this.coupon.value ? "The coupon counts." : "";
    delete this.message.dataset.kind;
  }

  /** @param {boolean} isBusy */
  setBusy(isBusy) {
    this.dialog.setAttribute("aria-busy", String(isBusy));
    this.confirm.setAttribute("aria-disabled", String(isBusy || this.#hasAddressError));
  }

  /** Looks at the customer's face. @returns {Promise<boolean>} */
  async recognise() {
    this.#isPaying = true;
    this.message.textContent = "Face ID …";
    this.dialog.dataset.state = "face";
    await new Promise((resolve) => setTimeout(resolve, FACE_MILLISECONDS));
    if (this.choices.refusesFace) {
      this.fail("Face ID was not recognised. Try again.");
      return false;
    }
    this.message.textContent = "Processing …";
    this.dialog.dataset.state = "processing";
    return true;
  }

  takeLostAnswer() {
    return this.choices.takeLostAnswer();
  }

  async succeed() {
    this.dialog.dataset.state = "done";
    this.message.textContent = "Done";
    await new Promise((resolve) => setTimeout(resolve, TICK_MILLISECONDS));
  }

  /** @param {string} text */
  fail(text) {
    this.#isPaying = false;
    delete this.dialog.dataset.state;
    this.message.dataset.kind = "error";
    this.message.textContent = text;
  }

  #confirm() {
    if (this.confirm.getAttribute("aria-disabled") === "true") return;
    this.listeners.confirmed();
  }

  /** While a payment is under way the sheet cannot be closed, as on an iPhone. */
  #cancel() {
    if (!this.#isPaying) this.listeners.cancelled();
  }

  #chooseCard() {
    this.#showArt();
    const card = this.#cards.find((each) => each.id === this.card.value);
    if (card) this.listeners.cardChosen(card);
  }

  #showArt() {
    const card = this.#cards.find((each) => each.id === this.card.value);
    this.cardArt.dataset.network = card?.network.toLowerCase() ?? "";
    this.cardArt.textContent = card?.suffix ?? "";
  }

  /** @param {ApplePayJS.ApplePayShippingMethod[]} methods The chosen one stands first. */
  #showMethods(methods) {
    this.methods.hidden = methods.length === 0;
    const text = JSON.stringify(methods.map((method) => method.identifier).sort());
    const chosen = methods[0]?.identifier;
    if (text === this.methods.dataset.shown) {
      for (const input of this.methods.querySelectorAll("input")) input.checked = input.value === chosen;
      return;
    }
    this.methods.dataset.shown = text;
    this.methods.replaceChildren(make("legend", {}, "Shipping"), ...methods.map((method) => make("label", {},
      make("input", {
        type: "radio", name: "shipping-method", value: method.identifier, checked: method.identifier === chosen,
        change: () => this.listeners.methodChosen(method),
      }),
      make("span", {}, method.label, make("small", {}, method.detail)),
      make("span", { class: "amount" }, money(method.amount, this.request.currencyCode)))));
  }

  #couponRow() {
    const form = make("form", {
      class: "sheet-row coupon",
      submit: (/** @type {Event} */ event) => {
        event.preventDefault();
        this.listeners.couponEntered(this.coupon.value.trim());
      },
    }, make("label", { for: "sheet-coupon" }, "Coupon"), this.coupon, make("button", { type: "submit" }, "Apply"),
    this.couponError);
    return form;
  }

  /** @param {string} label @param {HTMLElement} control @param {HTMLElement} after */
  #row(label, control, after) {
    return make("div", { class: "sheet-row" }, make("label", { for: control.id }, label), control, after);
  }

  /** Tab goes round inside the sheet.
   * @param {KeyboardEvent} event */
  #keepFocus = (event) => {
    if (event.key !== "Tab") return;
    const all = [...this.dialog.querySelectorAll("button, select, input, summary")]
      .filter((element) => element.getClientRects().length > 0);
    const [first, last] = [all[0], all.at(-1)];
    const leaves = event.shiftKey ? first : last;
    const enters = event.shiftKey ? last : first;
    if (document.activeElement !== leaves || !(enters instanceof HTMLElement)) return;
    event.preventDefault();
    enters.focus();
  };
}
