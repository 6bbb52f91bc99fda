/**
 * Returns JSON with the escapes of Go's encoder, which also escapes characters that are special in HTML and JavaScript. Fields are in the order of the object;
 * Go writes them in the order of the type's definition.
 */
export function goJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
