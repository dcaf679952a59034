// Opens the order before the customer presses the button: the sheet must begin in the click itself.
import { NoAnswer, Problem, pause, request } from "./http.js";

/** @typedef {import("./types.js").OpenedOrder} OpenedOrder */

const KEY = "tea.opening";

export class Orders {
  /** Opens the order of these goods. The same goods in the same window are the same order, also after a reload: its
   * Idempotency-Key is kept until the order has ended.
   * @param {import("./types.js").CartItem[]} items @returns {Promise<OpenedOrder>} */
  async open(items) {
    const text = JSON.stringify(items);
    for (let attempt = 1; ; attempt += 1) {
      try {
        const order = await request("/api/orders", { key: this.#keyFor(text), body: { items } });
        if (order.ticket && order.paymentRequest) return order;
        // The key's order has ended: it was paid, or its time is over.
        this.forget();
      } catch (error) {
        if (error instanceof Problem && error.status === 409) this.forget();
        else if (error instanceof Problem && error.status !== 429 && error.status < 500) throw error;
        else if (!(error instanceof Problem || error instanceof NoAnswer)) throw error;
        else await pause(1000 * ((error instanceof Problem && error.retryAfter) || 1));
      }
      if (attempt === 5) throw new NoAnswer("The shop does not answer.");
    }
  }

  /** Whether this window would open the same order again. */
  get isKept() {
    return sessionStorage.getItem(KEY) !== null;
  }

  /** The next order is a new one. */
  forget() {
    sessionStorage.removeItem(KEY);
  }

  /** @param {string} items */
  #keyFor(items) {
    const stored = JSON.parse(sessionStorage.getItem(KEY) ?? "{}");
    if (stored.items === items && stored.key) return String(stored.key);
    const key = crypto.randomUUID();
    sessionStorage.setItem(KEY, JSON.stringify({ items, key }));
    return key;
  }
}
