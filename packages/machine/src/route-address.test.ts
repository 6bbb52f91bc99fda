import type { NetworkInterfaceInfo } from 'node:os';
import { expect, it } from 'vitest';
import { routeAddress } from './route-address.ts';

const common = { netmask: '', mac: '', cidr: null };
const v4 = (address: string, internal = false): NetworkInterfaceInfo => ({
  ...common,
  address,
  family: 'IPv4',
  internal,
});
const v6 = (address: string, internal = false, scopeid = 0): NetworkInterfaceInfo => {
  return { ...common, address, family: 'IPv6', internal, scopeid };
};
const linkLocal = [v6('fe80::1', false, 2)];

it('takes the global address of the interface, and then one that Node.js leaves out', () => {
  const interfaces = { lo: [v4('192.0.2.7', true)], eth0: [v6('fe80::1', false, 2), v4('198.51.100.1')] };
  expect(routeAddress(interfaces, 'eth0', 'IPv4', '198.51.100.2')).toBe('198.51.100.1');
  expect(routeAddress(interfaces, 'br0', 'IPv4', '198.51.100.2')).toBe('198.51.100.2');
  expect(routeAddress(interfaces, undefined, 'IPv4', undefined)).toBeUndefined();
});

it('takes a global address of the loopback interface where that of the default route has only link-local ones', () => {
  const lo = [v4('127.0.0.1', true), v6('::1', true), v4('192.0.2.7', true), v6('2001:db8::7', true)];
  expect(routeAddress({ lo, eth0: linkLocal }, 'eth0', 'IPv4', undefined)).toBe('192.0.2.7');
  expect(routeAddress({ lo, eth0: linkLocal }, 'eth0', 'IPv6', undefined)).toBe('2001:db8::7');
});

it('takes no local address of the loopback interface', () => {
  const lo = [v4('127.0.0.1', true), v6('::1', true), v6('fe80::1', true, 1), v4('169.254.20.10', true)];
  expect(routeAddress({ lo, eth0: linkLocal }, 'eth0', 'IPv4', undefined)).toBeUndefined();
  expect(routeAddress({ lo, eth0: linkLocal }, 'eth0', 'IPv6', undefined)).toBeUndefined();
});
