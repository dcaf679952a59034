// Elements of the page. Every text becomes a text node: nothing from outside is ever read as HTML.

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, string | number | boolean | undefined | ((event: any) => void)>} [attributes]
 *   A function is a listener of the event that its name says, as in `click`.
 * @param {(Node | string | undefined | false)[]} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== undefined && value !== false) element.setAttribute(key, String(value));
  }
  for (const child of children) if (child) element.append(child);
  return element;
}

/** @param {string} id @returns {HTMLElement} */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no #${id}.`);
  return found;
}

/** A picture of this site only: another address shows nothing.
 * @param {string} address @param {string} alt @param {string} [className] */
export function picture(address, alt, className) {
  const isOurs = /^\/images\/[a-z-]+\.svg$/.test(address);
  return make("img", { src: isOurs ? address : "/images/parcel.svg", alt, class: className, loading: "lazy" });
}

/** @param {string} time */
export const clock = (time) => new Date(time).toLocaleTimeString("en-GB");
