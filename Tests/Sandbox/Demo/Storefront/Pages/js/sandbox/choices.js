// The panel beside the sheet: what the iPhone and the network shall do. It is no part of Apple Pay.
import { make } from "../dom.js";

/** What the acquirer does with a card, by its `behaviour`.
 * @type {Record<string, string>} */
const BEHAVIOURS = {
  ok: "pays", declined: "is declined: there is no money on it",
  answerLost: "pays, but the acquirer's answer is lost: Orchard asks, which takes some seconds",
};

export class Choices {
  constructor() {
    this.face = make("input", { type: "checkbox", id: "choice-face" });
    this.lost = make("input", { type: "checkbox", id: "choice-lost" });
    this.cards = make("ul", { class: "card-list" });
    this.panel = make("details", { class: "choices", open: matchMedia("(min-width: 48rem)").matches },
      make("summary", {}, "What shall the iPhone do?"),
      make("p", {}, "This sheet plays an iPhone: your browser has no Apple Pay. Tokens, prices and money are the ",
        "sandbox's. Nobody delivers to Tokyo. Of the cards"),
      this.cards,
      this.#choice(this.face, "Face ID does not recognise me"),
      this.#choice(this.lost, "The answer to my payment gets lost",
        "The token arrives, but the page sees a broken connection, and sends the same token again."),
      make("p", { class: "hint" }, "Coupons: TEA10 takes a tenth off; the time of SPRING is over."));
  }

  /** @param {import("./wallet.js").Card[]} cards */
  showCards(cards) {
    this.cards.replaceChildren(...cards.map((card) =>
      make("li", {}, make("strong", {}, card.suffix), ` ${BEHAVIOURS[card.behaviour] ?? card.behaviour}`)));
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
