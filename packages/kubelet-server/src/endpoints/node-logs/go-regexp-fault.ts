/** A fault of an expression, in the words of Go's package regexp. */
export class RegexpFault extends Error {
  override readonly name = 'RegexpFault';

  /** `part` is the part of the expression at fault. */
  constructor(fault: string, part: string) {
    super(`${fault}: \`${part}\``);
  }
}
