import { endianness } from 'node:os';
import { canonicalIp } from '@rxlet/pod-model';

/** An IPv6 address of an interface. */
export interface InterfaceAddressV6 {
  readonly name: string;
  /** In canonical form. */
  readonly address: string;
  /** Whether other machines can use it: it is neither link-local nor that of the loopback interface. */
  readonly isGlobal: boolean;
}

/**
 * Returns the IPv4 addresses of this machine, from the text of `/proc/net/fib_trie`. Unlike those of Node.js, they include addresses of interfaces that are up and have no
 * carrier, such as a bridge without ports.
 */
export function localAddressesV4(fibTrie: string): string[] {
  const found = new Set<string>();
  let address = '';
  for (const line of fibTrie.split('\n')) {
    const leaf = /^ *\|-- (\S+)$/.exec(line)?.[1];
    if (leaf !== undefined) address = leaf;
    else if (/^ *\/32 host LOCAL$/.test(line)) found.add(address);
  }
  return [...found];
}

/** Returns the IPv6 addresses of all interfaces, from the text of `/proc/net/if_inet6`. */
export function interfaceAddressesV6(ifInet6: string): InterfaceAddressV6[] {
  return ifInet6.split('\n').flatMap((line) => {
    const [hex = '', , , scope, , name] = line.trim().split(/\s+/);
    const address = /^[\da-f]{32}$/.test(hex) ? canonicalIp(hex.match(/.{4}/g)!.join(':')) : undefined;
    return address === undefined || name === undefined ? [] : [{ name, address, isGlobal: scope === '00' }];
  });
}

/** Returns those of `addresses` that are in a network to which an interface is attached, from the text of `/proc/net/route`. */
export function addressesOfInterfaceV4(procNetRoute: string, name: string, addresses: readonly string[]): string[] {
  const networks = procNetRoute
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([device, , gateway, , , , , mask]) => device === name && gateway === NO_GATEWAY && mask !== NO_MASK)
    .map(([, destination = '', , , , , , mask = '']) => ({
      base: kernelNumber(destination),
      mask: kernelNumber(mask),
    }));
  return addresses.filter((address) => {
    const value = dottedNumber(address);
    return networks.some(({ base, mask }) => (value & mask) === base);
  });
}

const NO_GATEWAY = '00000000';
const NO_MASK = '00000000';

/** Reads a number that the kernel writes in its own byte order. */
function kernelNumber(hex: string): number {
  const bytes = Buffer.from(hex, 'hex');
  if (bytes.length !== 4) return NaN;
  return endianness() === 'LE' ? bytes.readInt32LE() : bytes.readInt32BE();
}

function dottedNumber(address: string): number {
  return Buffer.from(address.split('.').map(Number)).readInt32BE();
}
