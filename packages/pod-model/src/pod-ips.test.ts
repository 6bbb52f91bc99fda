import { describe, expect, it } from 'vitest';
import { hostNetworkPodIps, sortPodIps } from './pod-ips.ts';

describe('sortPodIps', () => {
  it.each<[ips: string[], primary: string | undefined, sorted: string[]]>([
    [[], undefined, []],
    [['10.0.0.1'], undefined, ['10.0.0.1']],
    [['fd00::1', '10.0.0.1'], undefined, ['10.0.0.1', 'fd00::1']],
    [['fd00::1', '10.0.0.1'], '2001:db8::1', ['fd00::1', '10.0.0.1']],
    [['10.0.0.1', '10.0.0.2', 'fd00::1', 'fd00::2'], '192.0.2.1', ['10.0.0.1', 'fd00::1']],
    [['nonsense', '10.0.0.1'], undefined, ['10.0.0.1']],
    [['FD00:0:0::1'], undefined, ['fd00::1']],
    [['::ffff:10.0.0.1'], undefined, ['10.0.0.1']],
    [['010.000.0.01'], undefined, ['10.0.0.1']],
    [['256.0.0.1', '10.0.0', '1.2.3.4.5'], undefined, []],
    [['fe80::1%eth0', 'fd00::1'], undefined, ['fd00::1']],
    [['::1\0', '1::2::3', '::1 ', ':', '::ffff:01.2.3.4', '1:2:3:4:5:6:7:8:9'], undefined, []],
  ])('%j on a node with %s: %j', (ips, primary, sorted) => {
    expect(sortPodIps(ips, primary)).toEqual(sorted);
  });
});

describe('hostNetworkPodIps', () => {
  it.each<[own: string[], host: string[], ips: string[]]>([
    [[], [], []],
    [[], ['192.0.2.1'], ['192.0.2.1']],
    [[], ['192.0.2.1', '2001:db8::1'], ['192.0.2.1', '2001:db8::1']],
    [['192.0.2.9'], ['192.0.2.1', '2001:db8::1'], ['192.0.2.9', '2001:db8::1']],
    [['2001:db8::9'], ['192.0.2.1', '2001:db8::1'], ['2001:db8::9']],
    [['192.0.2.9'], ['192.0.2.1'], ['192.0.2.9']],
    [
      ['192.0.2.9', '2001:db8::9'],
      ['192.0.2.1', '2001:db8::1'],
      ['192.0.2.9', '2001:db8::9'],
    ],
    [['192.0.2.9'], [], ['192.0.2.9']],
  ])('own %j, node %j: %j', (own, host, ips) => {
    expect(hostNetworkPodIps(own, host)).toEqual(ips);
  });
});
