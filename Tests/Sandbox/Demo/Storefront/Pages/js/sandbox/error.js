/** `ApplePayError`: what is wrong, where on the sheet, and what the customer reads. */
export class SandboxError {
  /**
   * @param {ApplePayJS.ApplePayErrorCode} code
   * @param {ApplePayJS.ApplePayErrorContactField} [contactField]
   * @param {string} [message]
   */
  constructor(code, contactField, message = "") {
    this.code = code;
    /** @type {ApplePayJS.ApplePayErrorContactField | undefined} */
    this.contactField = contactField;
    this.message = message;
  }
}
