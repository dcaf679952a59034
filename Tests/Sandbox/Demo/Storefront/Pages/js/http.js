// Requests with a time limit, and the two ways in which they fail.

/** The service answered, and said no (RFC 9457). `code` is for programs; `detail` says what to do. */
export class Problem extends Error {
  /**
   * @param {number} status
   * @param {Record<string, any>} body
   * @param {number} retryAfter Seconds; 0 when the answer names none.
   */
  constructor(status, body, retryAfter) {
    super(String(body.detail ?? body.title ?? `The server answered ${status}.`));
    this.status = status;
    this.code = String(body.code ?? "");
    this.body = body;
    this.retryAfter = retryAfter;
  }
}

/** No answer came: the request may have arrived all the same. */
export class NoAnswer extends Error {}

/** @typedef {{ticket?: string, key?: string, body?: unknown, seconds?: number}} Options */

/**
 * @param {string} url
 * @param {Options} options `ticket`: the order's, as bearer. `key`: an Idempotency-Key. `seconds`: how long to wait for
 *   the answer. With a body it is a POST.
 * @returns {Promise<any>} The answer's JSON.
 */
export async function request(url, options = {}) {
  const { ticket, key, body, seconds = 10 } = options;
  /** @type {Record<string, string>} */
  const headers = {};
  if (ticket) headers["Authorization"] = `Bearer ${ticket}`;
  if (key) headers["Idempotency-Key"] = key;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const ended = new AbortController();
  const timer = setTimeout(() => ended.abort(), seconds * 1000);
  try {
    const answer = await fetch(url, {
      method: body === undefined ? "GET" : "POST",
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      cache: "no-store",
      credentials: "omit",
      signal: ended.signal,
    });
    const text = await answer.text();
    if (answer.ok) return text ? JSON.parse(text) : {};
    throw new Problem(answer.status, objectOf(text), Number(answer.headers.get("Retry-After") ?? 0));
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new NoAnswer("No answer came.");
  } finally {
    clearTimeout(timer);
  }
}

/** @param {string} text @returns {Record<string, any>} */
function objectOf(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value ? value : {};
  } catch {
    return {};
  }
}

/** @param {number} milliseconds */
export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
