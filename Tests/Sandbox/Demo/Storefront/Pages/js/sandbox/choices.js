// The panel beside the sheet: what the iPhone and the network shall do. It is no part of Apple Pay.
import { make } from "../dom.js";

export class Choices {
  constructor() {
    this.face = make("input", { type: "checkbox", id: "choice-face" });
    this.lost = make("input", { type: "checkbox", id: "choice-lost" });
    this.panel = make("details", { class: "choices", open: matchMedia("(min-width: 48rem)").matches },
      make("summary", {}, "What shall the iPhone do?"),
      make("p", {}, "This sheet plays an iPhone: your browser has no Apple Pay. Tokens, prices and money are the ",
        "sandbox's, and as real as it gets: choose another card to be declined, or an address in Tokyo, where nobody ",
        "delivers."),
      this.#choice(this.face, "Face ID does not recognise me"),
      this.#choice(this.lost, "The answer to my payment gets lost",
        "The token arrives, but the page sees a broken connection, and sends the same token again."),
      make("p", { class: "hint" }, "Coupons: TEA10 takes a tenth off; the time of SPRING is over."));
  }

  get refusesFace() {
    return this.face.checked;
  }

  /** Whether the next answer shall get lost; once. */
  takeLostAnswer() {
    const isLost = this.lost.checked;
    this.lost.checked = false;
    return isLost;
  }

  /** @param {HTMLInputElement} input @param {string} text @param {string} [detail] */
  #choice(input, text, detail) {
    return make("label", { for: input.id }, input, make("span", {}, text, detail && make("small", {}, detail)));
  }
}
