const SCHEME = 'unix://';

/** An address on which no CRI server can listen; the message says which ones it can. */
export class UnsupportedAddressError extends Error {
  override readonly name = 'UnsupportedAddressError';
  readonly address: string;

  constructor(address: string) {
    super(
      `address "${address}" is not supported: it has to be ${SCHEME} and an absolute path, as in unix:///run/cri.sock`,
    );
    this.address = address;
  }
}

/** The path of the socket in an address such as `unix:///run/fake.sock`. Throws {@link UnsupportedAddressError} for any other kind of address. */
export function parseUnixAddress(address: string): string {
  const path = address.slice(SCHEME.length);
  if (!address.startsWith(SCHEME) || !/^\/.*[^/]$/.test(path) || path.includes('\0'))
    throw new UnsupportedAddressError(address);
  return path;
}
