import { endianness } from 'node:os';
import { describe, expect, it } from 'vitest';
import { addressesOfInterfaceV4, interfaceAddressesV6, localAddressesV4 } from './kernel-addresses.ts';

/** The kernel's table of a machine with eth0, and a bridge without ports that has 198.51.100.1/24. */
const FIB_TRIE = `Main:
  +-- 0.0.0.0/0 3 0 5
     |-- 0.0.0.0
        /0 universe UNICAST
     +-- 127.0.0.0/8 2 0 2
        +-- 127.0.0.0/31 1 0 0
           |-- 127.0.0.0
              /8 host LOCAL
           |-- 127.0.0.1
              /32 host LOCAL
        |-- 127.255.255.255
           /32 link BROADCAST
     +-- 192.0.2.0/24 2 0 2
        +-- 192.0.2.0/30 2 0 2
           |-- 192.0.2.0
              /24 link UNICAST
           |-- 192.0.2.2
              /32 host LOCAL
        |-- 192.0.2.255
           /32 link BROADCAST
     +-- 198.51.100.0/24 2 0 1
        +-- 198.51.100.0/31 1 0 0
           |-- 198.51.100.0
              /24 link UNICAST
           |-- 198.51.100.1
              /32 host LOCAL
        |-- 198.51.100.255
           /32 link BROADCAST
Local:
  +-- 0.0.0.0/0 3 0 5
           |-- 127.0.0.1
              /32 host LOCAL
           |-- 192.0.2.2
              /32 host LOCAL
`;
const IF_INET6 = `fd000000000000000000000000000002 04 40 00 82     eth0
00000000000000000000000000000001 01 80 10 80       lo
fe8000000000000000fc00fffe000001 04 40 20 80     eth0
20010db8000000000000000000000077 1b 40 00 82    br0
`;

describe('the addresses of the kernel', () => {
  it('include those of interfaces without carrier, once each', () => {
    expect(localAddressesV4(FIB_TRIE)).toEqual(['127.0.0.1', '192.0.2.2', '198.51.100.1']);
    expect(interfaceAddressesV6(IF_INET6)).toEqual([
      { name: 'eth0', address: 'fd00::2', isGlobal: true },
      { name: 'lo', address: '::1', isGlobal: false },
      { name: 'eth0', address: 'fe80::fc:ff:fe00:1', isGlobal: false },
      { name: 'br0', address: '2001:db8::77', isGlobal: true },
    ]);
  });

  it('stay empty without the files, as with IPv6 switched off', () => {
    expect(localAddressesV4('')).toEqual([]);
    expect(interfaceAddressesV6('')).toEqual([]);
  });

  it.runIf(endianness() === 'LE')('belong to the interface that is attached to their network', () => {
    const routes = `Iface	Destination	Gateway 	Flags	RefCnt	Use	Metric	Mask		MTU	Window	IRTT
eth0	00000000	010200C0	0003	0	0	0	00000000	0	0	0
eth0	000200C0	00000000	0001	0	0	0	00FFFFFF	0	0	0
br0	006433C6	00000000	0001	0	0	0	00FFFFFF	0	0	0
`;
    const addresses = localAddressesV4(FIB_TRIE);
    expect(addressesOfInterfaceV4(routes, 'br0', addresses)).toEqual(['198.51.100.1']);
    expect(addressesOfInterfaceV4(routes, 'eth0', addresses)).toEqual(['192.0.2.2']);
    expect(addressesOfInterfaceV4(routes, 'lo', addresses)).toEqual([]);
  });
});
