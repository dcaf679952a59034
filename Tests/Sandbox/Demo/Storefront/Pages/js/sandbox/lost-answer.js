/** Breaks the page's next payment after it was sent: the token arrives, and the page sees a network error. */
export function loseNextAnswer() {
  const real = window.fetch;
  window.fetch = async (input, init) => {
    const address = new URL(input instanceof Request ? input.url : String(input), location.href);
    if (address.pathname !== "/v1/payments") return real.call(window, input, init);
    window.fetch = real;
    await real.call(window, input, init);
    throw new TypeError("The connection broke before the answer came.");
  };
}
