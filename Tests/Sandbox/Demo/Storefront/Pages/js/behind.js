// What happens behind: every step of each payment as it comes (server-sent events), and the books, read live.
import { Books } from "./books.js";
import { byId, make } from "./dom.js";
import { request } from "./http.js";

/** @typedef {{program: string, order?: string, kind: string, time: string, text: string}} Step */

const PROGRAMS = ["token-ingest", "charge-gateway", "order-ledger", "shop"];
/** So many orders stay on the page, the newest first. */
const MOST_ORDERS = 12;
const SILENCE_MILLISECONDS = 4000;

class Behind {
  /** @type {Map<string, {list: HTMLElement, begun: number, card: HTMLElement, state: HTMLElement}>} */
  #orders = new Map();
  /** @type {Set<string>} */
  #seen = new Set();
  /** @type {Map<string, number>} */
  #counts = new Map();
  /** @type {number | undefined} */
  #silence;
  /** @type {Books | undefined} None where the shop cannot read them. */
  #books;

  constructor() {
    this.#findBooks();
    const order = new URLSearchParams(location.search).get("order");
    byId("filter").hidden = !order;
    this.source = new EventSource(order ? `/api/behind?order=${encodeURIComponent(order)}` : "/api/behind");
    this.source.onopen = () => this.#connection("live");
    this.source.onerror = () => {
      // The server ends each answer after some seconds, and the browser asks again at once.
      clearTimeout(this.#silence);
      this.#silence = window.setTimeout(() => this.#connection("no connection; trying again"), SILENCE_MILLISECONDS);
    };
    this.source.onmessage = (event) => {
      this.#connection("live");
      try {
        this.#add(JSON.parse(event.data), event.lastEventId);
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
      }
    };
    addEventListener("pagehide", () => this.source.close());
  }

  async #findBooks() {
    /** @type {import("./types.js").Config} */
    let config;
    try {
      config = await request("/api/config");
    } catch {
      // The shop is away for a moment.
      window.setTimeout(() => this.#findBooks(), SILENCE_MILLISECONDS);
      return;
    }
    byId("no-books").hidden = config.hasBooks;
    byId("books").hidden = byId("books-source").hidden = !config.hasBooks;
    if (config.hasBooks) this.#books = new Books();
  }

  /** @param {string} text */
  #connection(text) {
    if (text === "live") clearTimeout(this.#silence);
    if (byId("connection").textContent !== text) byId("connection").textContent = text;
  }

  /** @param {Step} step @param {string} id */
  #add(step, id) {
    if (this.#seen.has(id)) return;
    this.#seen.add(id);
    this.#pulse(step.program);
    const order = this.#orderOf(step);
    const milliseconds = Date.parse(step.time) - order.begun;
    const program = PROGRAMS.includes(step.program) ? step.program : "order-ledger";
    order.list.append(make("li", { class: `step ${program}` },
      make("span", { class: "after" }, `+${(Math.max(0, milliseconds) / 1000).toFixed(2)} s`),
      make("div", { class: "bubble" },
        make("span", { class: "program" }, step.program),
        make("span", { class: "words" }, step.text),
        make("code", {}, step.kind))));
    const isEnd = /succeeded$|declined$|closed$|refused$|notCharged$|rejected$/.test(step.kind);
    if (isEnd) order.state.textContent = step.kind;
    if (isEnd || program === "shop") this.#books?.readSoon();
  }

  /** @param {Step} step */
  #orderOf(step) {
    const name = step.order ?? "other";
    const known = this.#orders.get(name);
    if (known) return known;
    const list = make("ol", { class: "steps-of-order" });
    const state = make("span", { class: "order-state" }, "under way");
    const card = make("article", { class: "journey" },
      make("header", {}, make("h3", {}, "Order ", make("code", {}, name.slice(-8))), state), list);
    byId("journeys").prepend(card);
    byId("nothing-yet").hidden = true;
    const order = { list, begun: Date.parse(step.time), card, state };
    this.#orders.set(name, order);
    for (const [oldest, { card: old }] of this.#orders) {
      if (this.#orders.size <= MOST_ORDERS) break;
      old.remove();
      this.#orders.delete(oldest);
    }
    return order;
  }

  /** @param {string} program */
  #pulse(program) {
    const station = document.querySelector(`[data-program="${CSS.escape(program)}"]`);
    if (!(station instanceof HTMLElement)) return;
    const count = (this.#counts.get(program) ?? 0) + 1;
    this.#counts.set(program, count);
    const counter = station.querySelector(".count");
    if (counter) counter.textContent = count === 1 ? "1 step" : `${count} steps`;
    station.classList.remove("pulse");
    void station.offsetWidth;
    station.classList.add("pulse");
  }
}

new Behind();
byId("main").removeAttribute("aria-busy");
