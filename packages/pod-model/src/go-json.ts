/**
 * JSON as Go's encoder writes it, for what has to be the same text as a kubelet's: what may hurt in HTML or JavaScript is escaped too. Fields come in the order
 * of the object; Go's is that of the type's definition.
 */
export function goJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
