// What the services and the shop's server answer, as far as the pages read it (docs/openapi). Types only.

/**
 * @typedef {{ledger: string, ingest: string, shopName: string, currency: string, hasBooks: boolean}} Config
 * @typedef {{id: string, name: string, detail: string, price: string, image: string}} Product
 * @typedef {{id: string, quantity: number}} CartItem
 * @typedef {{currency: string, minorUnits: number}} Money
 *
 * @typedef {{orderId: string, revision: number, ticket: string, expiresAt: string,
 *   paymentRequest: ApplePayJS.ApplePayPaymentRequest}} OpenedOrder
 * @typedef {{orderId: string, revision: number, ticket: string, expiresAt: string}} FreshTicket
 *
 * @typedef {{newTotal: ApplePayJS.ApplePayLineItem, newLineItems: ApplePayJS.ApplePayLineItem[],
 *   newShippingMethods?: ApplePayJS.ApplePayShippingMethod[], errors?: ApplePayJS.ApplePayError[]}} SheetUpdate
 * @typedef {FreshTicket & {shippingContactUpdate?: SheetUpdate, shippingMethodUpdate?: SheetUpdate,
 *   couponCodeUpdate?: SheetUpdate, paymentMethodUpdate?: SheetUpdate}} CallbackAnswer
 *
 * @typedef {"STATUS_SUCCESS" | "STATUS_FAILURE" | "STATUS_PIN_INCORRECT" | "STATUS_PIN_LOCKOUT"} SheetStatus
 * @typedef {{status: SheetStatus, errors: ApplePayJS.ApplePayError[]}} SheetResult
 * @typedef {{orderId: string, paymentId: string, status: "processing"}} Accepted
 * @typedef {{orderId: string, paymentId: string, final: boolean, known: boolean, message?: string,
 *   status: "processing" | "confirming" | "paid" | "authorised" | "expired" | "declined" | "refused",
 *   applePay: SheetResult}} PaymentAnswer
 * @typedef {{token: ApplePayJS.ApplePayPaymentToken, billingContact?: ApplePayJS.ApplePayPaymentContact,
 *   shippingContact?: ApplePayJS.ApplePayPaymentContact}} Payment
 *
 * @typedef {{paymentId: string, status: string, amount: Money, reason?: string,
 *   card?: {network: string, lastFour: string, confirmation?: string}}} OrderPayment
 * @typedef {{label: string, unitAmount?: string, amount?: string, quantity?: number}} OrderLine
 * @typedef {{orderId: string, status: string, lines?: OrderLine[], payments: OrderPayment[],
 *   amounts?: {currency: string, captured: number, refunded: number, refundable: number},
 *   totals: {currency: string, subtotal: number, discount: number, shipping: number, tax: number, total: number},
 *   followUps?: {kind: string, status: string, amount: Money}[],
 *   shipping?: {label: string}}} Order
 * @typedef {{orderId: string, events: {time: string, type: string, data: Record<string, unknown>}[]}} Timeline
 */

export {};
