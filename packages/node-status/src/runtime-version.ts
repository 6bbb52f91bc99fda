/** Numbers of a version, and the rest. */
const VERSION = /^\s*v?(\d+(?:\.\d+)*)(.*)$/;
/** Pre-release and build metadata of a semantic version. */
const EXTRA = /^(-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?\s*$/;
const LEADING_ZERO = /^0\d+$/;

/**
 * Returns a runtime's version as nodes report it: a semantic version as it is, and only the numbers of any other, such as `1.6.20` for `1.6.20~ds1`.
 *
 * @returns `undefined` for a text without a version
 */
export function printRuntimeVersion(text: string): string | undefined {
  const [, numbers, extra = ''] = VERSION.exec(text) ?? [];
  if (numbers === undefined) return undefined;
  const components = numbers.split('.');
  const semantic = components.length === 3 && !components.some(isIllegal) ? EXTRA.exec(extra) : null;
  const [, preRelease = '', buildMetadata = ''] = semantic ?? [];
  if (semantic !== null && !preRelease.slice(1).split('.').some(isIllegal))
    return `${numbers}${preRelease}${buildMetadata}`;
  if (components.length < 2 || isIllegal(components[0]!)) return undefined;
  return components.map((component) => String(BigInt(component))).join('.');
}

function isIllegal(component: string): boolean {
  return LEADING_ZERO.test(component);
}
