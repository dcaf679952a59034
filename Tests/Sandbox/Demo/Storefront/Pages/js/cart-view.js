// The cart as the page shows it.
import { byId, make, picture } from "./dom.js";
import { decimalOfMinor, minorOf, money } from "./money.js";

export class CartView {
  /** @param {import("./cart.js").Cart} cart @param {Map<string, import("./types.js").Product>} products
   * @param {string} currency */
  constructor(cart, products, currency) {
    this.cart = cart;
    this.products = products;
    this.currency = currency;
  }

  show() {
    const focused = document.activeElement?.getAttribute("data-step");
    const rows = this.cart.items.map((item) => this.#row(item));
    byId("cart-items").replaceChildren(...rows);
    byId("cart-empty").hidden = rows.length > 0;
    byId("cart-count").textContent = String(this.cart.count);
    byId("cart-sum").textContent = money(decimalOfMinor(this.#sum, this.currency), this.currency);
    // The buttons were made again: whoever pressed one stays there.
    if (focused) this.#focus(focused);
  }

  get #sum() {
    return this.cart.items.reduce((sum, { id, quantity }) =>
      sum + quantity * minorOf(this.products.get(id)?.price ?? "0", this.currency), 0);
  }

  /** @param {import("./types.js").CartItem} item */
  #row({ id, quantity }) {
    const product = this.products.get(id);
    const name = product?.name ?? id;
    const price = minorOf(product?.price ?? "0", this.currency) * quantity;
    return make("li", { class: "cart-item" },
      picture(product?.image ?? "", "", "cart-picture"),
      make("div", { class: "cart-text" },
        make("span", { class: "cart-name" }, name),
        make("span", { class: "cart-price" }, money(decimalOfMinor(price, this.currency), this.currency))),
      make("div", { class: "steps", role: "group", "aria-label": `Quantity of ${name}` },
        this.#step(id, quantity - 1, "−", `One less of ${name}`, `less:${id}`),
        make("span", { class: "quantity", "aria-live": "polite" }, String(quantity)),
        this.#step(id, quantity + 1, "+", `One more of ${name}`, `more:${id}`)));
  }

  /** @param {string} id @param {number} quantity @param {string} sign @param {string} label @param {string} step */
  #step(id, quantity, sign, label, step) {
    return make("button", {
      type: "button", class: "step", "aria-label": label, "data-step": step, click: () => this.cart.set(id, quantity),
    }, sign);
  }

  /** @param {string} step */
  #focus(step) {
    const buttons = [...byId("cart").querySelectorAll("[data-step]")];
    const same = buttons.find((button) => button.getAttribute("data-step") === step);
    const next = same ?? buttons[0] ?? byId("cart-title");
    if (next instanceof HTMLElement) next.focus();
  }
}
