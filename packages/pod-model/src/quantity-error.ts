/** What is wrong with the text of a quantity. */
export type QuantityErrorCode = 'InvalidFormat' | 'InvalidNumber' | 'InvalidSuffix' | 'OutOfRange';

const describeError: Record<QuantityErrorCode, string> = {
  InvalidFormat: 'expected a decimal number and a suffix, such as 100m, 1.5 or 512Mi',
  InvalidNumber: 'its number cannot be read',
  InvalidSuffix: 'its suffix is none of n u m k M G T P E, Ki Mi Gi Ti Pi Ei, e<exponent>',
  OutOfRange: 'its exponent is too large',
};

/** Thrown for a text that is no quantity. */
export class QuantityError extends Error {
  override readonly name = 'QuantityError';
  readonly code: QuantityErrorCode;
  /** The text that was to be parsed. */
  readonly text: string;

  constructor(code: QuantityErrorCode, text: string) {
    super(`invalid quantity ${JSON.stringify(text)}: ${describeError[code]}`);
    this.code = code;
    this.text = text;
  }
}
