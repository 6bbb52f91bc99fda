import { isIPv6 } from 'node:net';

/** Groups of 16 bits that a network gives to one of its members. */
const PREFIX_GROUPS = 4;

/**
 * Returns the party behind an address: the address itself, of IPv6 its first 64 bits, because a machine has all addresses of such a network. Empty for a socket without addresses.
 */
export function addressGroup(address: string | undefined): string {
  if (address === undefined) return '';
  const [plain = ''] = address.split('%', 1);
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1];
  if (mapped !== undefined || !isIPv6(plain)) return mapped ?? plain;
  const [head = '', tail] = plain.split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const [first, last] = [groups(head), groups(tail ?? '')];
  const zeros = Array.from({ length: tail === undefined ? 0 : 8 - first.length - last.length }, () => '0');
  return [...first, ...zeros, ...last].slice(0, PREFIX_GROUPS).join(':').toLowerCase();
}
