// Amounts as text: whole minor units or decimals, never a floating-point number.

/** @param {string} currency */
const decimals = (currency) =>
  new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits ?? 2;

/** @param {string} amount Decimal text, as in "12.50". @param {string} currency ISO 4217. */
export function money(amount, currency) {
  const sign = amount.startsWith("-") ? "−" : "";
  const symbol = { CNY: "¥", EUR: "€", USD: "$", GBP: "£" }[currency];
  const [whole, rest] = amount.replace("-", "").split(".");
  const digits = whole.replace(/\B(?=(\d{3})+$)/g, ",") + (rest ? `.${rest}` : "");
  return symbol ? `${sign}${symbol}${digits}` : `${sign}${digits} ${currency}`;
}

/** @param {number} minorUnits @param {string} currency */
export function moneyOfMinor(minorUnits, currency) {
  return money(decimalOfMinor(minorUnits, currency), currency);
}

/** @param {number} minorUnits @param {string} currency */
export function decimalOfMinor(minorUnits, currency) {
  const places = decimals(currency);
  const digits = String(Math.abs(minorUnits)).padStart(places + 1, "0");
  const text = places ? `${digits.slice(0, -places)}.${digits.slice(-places)}` : digits;
  return minorUnits < 0 ? `-${text}` : text;
}

/** @param {string} amount Decimal text. @param {string} currency @returns {number} */
export function minorOf(amount, currency) {
  const [whole, rest = ""] = amount.split(".");
  const places = decimals(currency);
  return Number(whole + rest.padEnd(places, "0").slice(0, places));
}
