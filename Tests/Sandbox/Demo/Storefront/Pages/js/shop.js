// The shop's first page: catalogue, cart and Apple's button.
import { Cart } from "./cart.js";
import { CartView } from "./cart-view.js";
import { Checkout } from "./checkout.js";
import { byId, make, picture } from "./dom.js";
import { request } from "./http.js";
import { money } from "./money.js";
import { Orders } from "./orders.js";
import { orderPage, unfinishedRecord } from "./records.js";
import { Services } from "./services.js";

/** A ticket charges for some minutes. The order is opened again a minute before they are over. */
const TICKET_MARGIN = 60_000;
/** How long the customer sees the sheet's tick before the order's page comes. */
const TICK_MILLISECONDS = 1500;

class Shop {
  /** @type {import("./types.js").OpenedOrder | undefined} */
  #order;
  #opening = 0;
  /** @type {number | undefined} */
  #timer;

  /** @param {import("./types.js").Config} config @param {import("./types.js").Product[]} products */
  constructor(config, products) {
    this.config = config;
    this.products = new Map(products.map((product) => [product.id, product]));
    this.services = new Services(config);
    this.cart = new Cart();
    this.cart.keepOnly(new Set(this.products.keys()));
    this.orders = new Orders();
    this.view = new CartView(this.cart, this.products, config.currency);
    this.button = byId("apple-pay");
    this.button.addEventListener("click", () => this.#pay());
    this.cart.addEventListener("change", () => this.#cartChanged());
    this.#showCatalogue();
    this.#cartChanged();
  }

  #showCatalogue() {
    const cards = [...this.products.values()].map((product) => make("li", { class: "product" },
      picture(product.image, "", "product-picture"),
      make("div", { class: "product-text" },
        make("h3", {}, product.name),
        make("p", { class: "detail" }, product.detail),
        make("div", { class: "product-foot" },
          make("span", { class: "price" }, money(product.price, this.config.currency)),
          make("button", {
            type: "button", class: "add", "data-product": product.id,
            "aria-label": `Add ${product.name} to the cart`,
            click: () => {
              this.cart.add(product.id);
              this.#say(`${product.name} is in the cart.`);
            },
          }, "Add")))));
    byId("products").replaceChildren(...cards);
  }

  /** Another cart is another order. */
  #cartChanged() {
    this.view.show();
    this.#order = undefined;
    this.#showButton();
    clearTimeout(this.#timer);
    if (this.cart.count > 0 && this.#canPay) this.#timer = window.setTimeout(() => this.#open(), 300);
  }

  get #canPay() {
    return "ApplePaySession" in window && ApplePaySession.canMakePayments();
  }

  async #open() {
    const opening = ++this.#opening;
    try {
      const order = await this.orders.open(this.cart.items);
      if (opening !== this.#opening) return;
      this.#order = order;
      const left = Date.parse(order.expiresAt) - Date.now() - TICKET_MARGIN;
      clearTimeout(this.#timer);
      this.#timer = window.setTimeout(() => this.#open(), Math.max(left, 5000));
    } catch (error) {
      if (opening === this.#opening) this.#warn(`The order cannot be opened: ${messageOf(error)}`);
    }
    this.#showButton();
  }

  #showButton() {
    byId("checkout").hidden = this.cart.count === 0;
    byId("no-apple-pay").hidden = this.#canPay;
    this.button.hidden = !this.#canPay;
    // Not `disabled`: the focus must stay where the sheet gives it back.
    this.button.setAttribute("aria-disabled", String(!this.#order));
  }

  #pay() {
    if (!this.#order) return;
    this.#warn("");
    this.#say("");
    const items = this.cart.items;
    clearTimeout(this.#timer);
    this.#opening += 1;
    new Checkout(this.services, this.#order, () => this.orders.open(items), {
      done: (orderId, isSold) => {
        this.#say("Your order's page comes in a moment.");
        if (isSold) {
          this.orders.forget();
          this.cart.clear();
        }
        setTimeout(() => location.assign(orderPage(orderId)), TICK_MILLISECONDS);
      },
      failed: (message) => this.#warn(message),
      closed: (message) => {
        if (!byId("warning").textContent) this.#say(message);
        // The same order again, with its newest revision.
        this.#order = undefined;
        this.#showButton();
        this.#open();
      },
    }).begin();
  }

  /** @param {string} text */
  #say(text) {
    byId("status").textContent = text;
  }

  /** @param {string} text */
  #warn(text) {
    byId("warning").textContent = text;
  }
}

/** @param {unknown} error */
const messageOf = (error) => error instanceof Error ? error.message : String(error);

async function start() {
  const unfinished = unfinishedRecord();
  // A payment left this window, and the page was loaded again before it heard the outcome.
  if (unfinished) return location.replace(orderPage(unfinished.orderId));
  try {
    const [config, products] = await Promise.all([request("/api/config"), request("/api/products")]);
    document.title = config.shopName;
    new Shop(config, products);
  } catch (error) {
    byId("warning").textContent = `The shop cannot be shown: ${messageOf(error)}`;
  }
  byId("main").removeAttribute("aria-busy");
}

start();
