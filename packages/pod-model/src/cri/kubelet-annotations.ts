import { ContainerAnnotation } from '../labels.ts';

const canonicalHex = /^(?:0|[1-9a-f][0-9a-f]*)$/;

/** Returns the container hash in canonical form, lower-case hex without leading zeros; empty without a valid hash. */
export function readHash(annotations: Readonly<Record<string, string>>): string {
  const text = annotations[ContainerAnnotation.hash];
  if (text === undefined) return '';
  if (canonicalHex.test(text)) return text;
  const canonical = text.toLowerCase().replace(/^0+(?=.)/, '');
  return canonicalHex.test(canonical) ? canonical : '';
}

/** Returns a count of decimal digits; 0 for any other text. */
export function readCount(text: string | undefined): number {
  return text !== undefined && /^[0-9]{1,10}$/.test(text) ? Number(text) : 0;
}
