/** A value of KubeletConfiguration `qosReserved` that cannot be used. */
export class QosReservedError extends Error {
  override readonly name = 'QosReservedError';
}

/**
 * Returns the share of memory of `qosReserved`, in percent; `undefined` when there is none.
 *
 * @throws QosReservedError for another resource than memory, or a value other than `0%` to `100%`
 */
export function parseQosReserved(reserved: Readonly<Record<string, string>> = {}): number | undefined {
  let percent: number | undefined;
  for (const [resource, text] of Object.entries(reserved)) {
    if (resource !== 'memory') throw new QosReservedError(`cannot reserve the resource "${resource}", only memory`);
    percent = parsePercentage(resource, text);
  }
  return percent;
}

function parsePercentage(resource: string, text: string): number {
  const fail = (cause: string): never => {
    throw new QosReservedError(`cannot parse the percentage "${text}" of the resource "${resource}": ${cause}`);
  };
  if (!text.endsWith('%')) return fail('it must end with "%"');
  const digits = text.replace(/%+$/, '');
  if (!/^[+-]?\d+$/.test(digits)) return fail('it is not an integer');
  const percent = Number(digits);
  return percent < 0 || percent > 100 ? fail('it must be between 0 and 100') : percent;
}
