// The addresses in the stand-in's address book. One is where nobody delivers.

/** @type {{id: string, name: string, contact: ApplePayJS.ApplePayPaymentContact}[]} */
export const CONTACTS = [
  {
    id: "shanghai", name: "Li Wei, Shanghai", contact: {
      givenName: "Wei", familyName: "Li", phoneNumber: "+86 21 5555 0100", emailAddress: "wei@example.com",
      addressLines: ["南京东路 1 号"], locality: "上海市", administrativeArea: "上海市", postalCode: "200001",
      country: "中国", countryCode: "CN",
    },
  },
  {
    id: "chengdu", name: "Chen Lan, Chengdu", contact: {
      givenName: "Lan", familyName: "Chen", phoneNumber: "+86 28 5555 0111", emailAddress: "lan@example.com",
      addressLines: ["人民南路 20 号"], locality: "成都市", administrativeArea: "四川省", postalCode: "610000",
      country: "中国", countryCode: "CN",
    },
  },
  {
    id: "tokyo", name: "Sato Yui, Tokyo", contact: {
      givenName: "Yui", familyName: "Sato", phoneNumber: "+81 3 5555 0122", emailAddress: "yui@example.com",
      addressLines: ["丸の内 1-1"], locality: "千代田区", administrativeArea: "東京都", postalCode: "100-0005",
      country: "日本", countryCode: "JP",
    },
  },
];

/** Before the payment is authorised Apple tells the page only where the goods go, not to whom.
 * @param {ApplePayJS.ApplePayPaymentContact} contact @returns {ApplePayJS.ApplePayPaymentContact} */
export function cutContact({ locality, administrativeArea, postalCode, country, countryCode }) {
  return { locality, administrativeArea, postalCode, country, countryCode };
}

/** With the token the page gets what it asked for, and nothing else.
 * @param {ApplePayJS.ApplePayPaymentContact} contact @param {ApplePayJS.ApplePayContactField[]} fields
 * @returns {ApplePayJS.ApplePayPaymentContact} */
export function askedContact(contact, fields) {
  const { givenName, familyName, phoneNumber, emailAddress, ...address } = contact;
  return {
    ...(fields.includes("name") ? { givenName, familyName } : {}),
    ...(fields.includes("phone") ? { phoneNumber } : {}),
    ...(fields.includes("email") ? { emailAddress } : {}),
    ...(fields.includes("postalAddress") ? address : {}),
  };
}
