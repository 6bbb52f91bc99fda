import type { NetworkInterfaceInfo } from 'node:os';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import { expect, it, vi } from 'vitest';
import { createHostMachine } from './host-machine.ts';

const interfaces = vi.hoisted(() => new Map<string, readonly object[]>());
vi.mock('node:os', async (original) => ({
  ...(await original<object>()),
  networkInterfaces: () => Object.fromEntries(interfaces),
}));

const v4 = (address: string, internal = false): Partial<NetworkInterfaceInfo> => ({
  address,
  family: 'IPv4',
  internal,
});
const v6 = (address: string, internal = false, scopeid = 0): Partial<NetworkInterfaceInfo> => {
  return { address, family: 'IPv6', internal, scopeid };
};
const { hostFiles } = createMemoryFiles({
  files: {
    '/proc/net/route':
      'Iface Destination Gateway Flags RefCnt Use Metric Mask\neth0 00000000 00000000 0001 0 0 0 00000000\n',
    '/proc/net/ipv6_route': `${'0'.repeat(32)} 00 ${'0'.repeat(32)} 00 ${'0'.repeat(31)}1 00000400 00000001 00000000 00000003 eth0\n`,
  },
});
const machine = createHostMachine(hostFiles);

it('takes a global address of the loopback interface where that of the default route has only link-local ones', async () => {
  interfaces.set('lo', [v4('127.0.0.1', true), v6('::1', true), v4('192.0.2.7', true), v6('2001:db8::7', true)]);
  interfaces.set('eth0', [v6('fe80::1', false, 2)]);
  expect((await machine.addresses()).defaultRouteIps).toEqual({ v4: '192.0.2.7', v6: '2001:db8::7' });
  interfaces.set('eth0', [v4('198.51.100.1')]);
  expect((await machine.addresses()).defaultRouteIps).toEqual({ v4: '198.51.100.1', v6: '2001:db8::7' });
});

it('takes no local address of the loopback interface', async () => {
  interfaces.set('lo', [v4('127.0.0.1', true), v6('::1', true), v6('fe80::1', true, 1), v4('169.254.20.10', true)]);
  interfaces.set('eth0', [v6('fe80::1', false, 2)]);
  expect((await machine.addresses()).defaultRouteIps).toEqual({ v4: undefined, v6: undefined });
});
