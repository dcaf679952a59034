// The books: what the audit says, and what acquirer, gateway and ledger have counted. Read anew each time.
import { byId, clock, make } from "./dom.js";
import { Problem, request } from "./http.js";
import { money } from "./money.js";

/**
 * @typedef {{count: number, taken: string, returned: string}} Book
 * @typedef {{audit: {exit: number, lines: string[]}, acquirer: Book, ledger: Book, gateway: Book, currency: string,
 *   readAt: string, agree: boolean}} Answer
 */

export class Books {
  /** @type {number | undefined} */
  #timer;
  #isReading = false;
  #isWanted = false;

  constructor() {
    byId("read-books").addEventListener("click", () => this.read());
    this.read();
  }

  /** After a payment the books are read again, once for several steps. */
  readSoon() {
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.read(), 1500);
  }

  async read() {
    if (this.#isReading) {
      this.#isWanted = true;
      return;
    }
    this.#isReading = true;
    byId("books").setAttribute("aria-busy", "true");
    try {
      this.#show(await request("/api/books", { seconds: 60 }));
    } catch (error) {
      // Another window reads them at this moment.
      if (error instanceof Problem && error.code === "books-busy") this.#isWanted = true;
      else byId("verdict").textContent = `The books cannot be read: ${error instanceof Error ? error.message : error}`;
      if (!this.#isWanted) byId("verdict").dataset.agree = "unknown";
    }
    byId("books").removeAttribute("aria-busy");
    this.#isReading = false;
    if (this.#isWanted) {
      this.#isWanted = false;
      this.readSoon();
    }
  }

  /** @param {Answer} answer */
  #show(answer) {
    byId("verdict").textContent = answer.agree
      ? "All books agree, and the audit finds no fault." : "The books do not agree (yet): a payment may be under way.";
    byId("verdict").dataset.agree = String(answer.agree);
    byId("books-time").textContent = `read at ${clock(answer.readAt)}`;
    const row = (/** @type {string} */ name, /** @type {Book} */ book) => make("tr", {},
      make("th", { scope: "row" }, name), make("td", {}, String(book.count)),
      make("td", {}, money(book.taken, answer.currency)), make("td", {}, money(book.returned, answer.currency)));
    byId("books-rows").replaceChildren(row("Acquirer's own book", answer.acquirer),
      row("charge-gateway", answer.gateway), row("order-ledger", answer.ledger));
    byId("audit").textContent = answer.audit.lines.join("\n");
    byId("audit-exit").textContent = `order-ledger audit exits ${answer.audit.exit}`;
  }
}
