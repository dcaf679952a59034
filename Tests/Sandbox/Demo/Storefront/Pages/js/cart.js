// The cart: it survives a reload, and is the same in all windows of the shop.

/** @typedef {import("./types.js").CartItem} CartItem */

const KEY = "tea.cart";
const MOST = 20;

export class Cart extends EventTarget {
  constructor() {
    super();
    /** @type {Map<string, number>} */
    this.quantities = new Map();
    this.#read();
    addEventListener("storage", (event) => {
      if (event.key !== KEY && event.key !== null) return;
      this.#read();
      this.#changed();
    });
  }

  /** @returns {CartItem[]} */
  get items() {
    return [...this.quantities].map(([id, quantity]) => ({ id, quantity }));
  }

  get count() {
    return this.items.reduce((sum, item) => sum + item.quantity, 0);
  }

  /** @param {string} id @param {number} quantity 0 takes it out. */
  set(id, quantity) {
    const allowed = Math.max(0, Math.min(MOST, Math.trunc(quantity) || 0));
    if (allowed === 0) this.quantities.delete(id);
    else this.quantities.set(id, allowed);
    this.#write();
  }

  /** @param {string} id */
  add(id) {
    this.set(id, (this.quantities.get(id) ?? 0) + 1);
  }

  /** Goods that the shop does not have any more leave the cart.
   * @param {Set<string>} known */
  keepOnly(known) {
    for (const id of this.quantities.keys()) if (!known.has(id)) this.quantities.delete(id);
    this.#write();
  }

  clear() {
    this.quantities.clear();
    this.#write();
  }

  #read() {
    this.quantities.clear();
    try {
      const stored = JSON.parse(localStorage.getItem(KEY) ?? "[]");
      for (const item of Array.isArray(stored) ? stored : []) {
        const isGood = typeof item?.id === "string" && Number.isInteger(item.quantity);
        if (isGood && item.quantity > 0 && item.quantity <= MOST) this.quantities.set(item.id, item.quantity);
      }
    } catch {
      // What cannot be read is an empty cart.
    }
  }

  #write() {
    localStorage.setItem(KEY, JSON.stringify(this.items));
    this.#changed();
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}
