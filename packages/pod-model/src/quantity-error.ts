/** Defects of the text of a quantity. */
export type QuantityErrorCode = 'InvalidFormat' | 'InvalidNumber' | 'InvalidSuffix' | 'OutOfRange';

const describeError: Record<QuantityErrorCode, string> = {
  InvalidFormat: 'expected a decimal number and a suffix, such as 100m, 1.5 or 512Mi',
  InvalidNumber: 'the number has no digits',
  InvalidSuffix: 'the suffix must be one of n u m k M G T P E, Ki Mi Gi Ti Pi Ei, e<exponent>',
  OutOfRange: 'the exponent is too large',
};

/** A text is not a quantity. */
export class QuantityError extends Error {
  override readonly name = 'QuantityError';
  readonly code: QuantityErrorCode;
  /** Text that cannot be parsed. */
  readonly text: string;

  constructor(code: QuantityErrorCode, text: string) {
    super(`invalid quantity ${JSON.stringify(text)}: ${describeError[code]}`);
    this.code = code;
    this.text = text;
  }
}
