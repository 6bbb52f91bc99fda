const SCHEME = 'unix://';

/** An address on which no CRI server can listen; the message names the ones that it can listen on. */
export class UnsupportedAddressError extends Error {
  override readonly name = 'UnsupportedAddressError';
  readonly address: string;

  constructor(address: string) {
    super(
      `address "${address}" is not supported: it must be an absolute path, with or without ${SCHEME} before it, as in unix:///run/cri.sock`,
    );
    this.address = address;
  }
}

/** Returns the path of the socket in an address such as `unix:///run/fake.sock` or `/run/fake.sock`. Throws {@link UnsupportedAddressError} for others. */
export function parseUnixAddress(address: string): string {
  const path = address.startsWith(SCHEME) ? address.slice(SCHEME.length) : address;
  if (!/^\/.*[^/]$/.test(path) || path.includes('\0')) throw new UnsupportedAddressError(address);
  return path;
}

/** Returns the address of the socket at `path`, as clients take it. */
export function formatUnixAddress(path: string): string {
  return `${SCHEME}${path}`;
}
