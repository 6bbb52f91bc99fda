import { describe, expect, it } from 'vitest';
import type { ResolvConf } from '../resolv-conf.ts';
import { windowsResolvConf, type WindowsDnsSettings } from './windows-dns.ts';

const NODE: WindowsDnsSettings = {
  servers: ['192.0.2.53', '192.0.2.54'],
  searchList: 'corp.example,example',
  interfaceSearchLists: ['', 'lan.example,corp.example'],
};
const FILE = 'nameserver 198.51.100.1\nsearch file.example\noptions ndots:2\n';

describe('windowsResolvConf', () => {
  it.each<[setting: string, file: string | undefined, node: WindowsDnsSettings, expected: ResolvConf | undefined]>([
    ['', undefined, NODE, undefined],
    ['', FILE, NODE, undefined],
    [
      String.raw`C:\etc\resolv.conf`,
      FILE,
      NODE,
      { nameservers: ['198.51.100.1'], searches: ['file.example'], options: ['ndots:2'] },
    ],
    [
      'Host',
      undefined,
      NODE,
      { nameservers: NODE.servers, searches: ['corp.example', 'example', 'lan.example'], options: [] },
    ],
    // A file of that name wins.
    ['Host', FILE, NODE, { nameservers: ['198.51.100.1'], searches: ['file.example'], options: ['ndots:2'] }],
    [
      'Host',
      undefined,
      { servers: [], searchList: '', interfaceSearchLists: [] },
      { nameservers: [], searches: [], options: [] },
    ],
  ])('for the setting "%s" and the file %j of the node %j returns %j', (setting, file, node, expected) => {
    expect(windowsResolvConf(setting, file, node)).toEqual(expected);
  });

  it.each(['host', '/etc/resolv.conf'])('rejects the setting "%s" without a file', (setting) => {
    expect(() => windowsResolvConf(setting, undefined, NODE)).toThrow(
      `Unexpected resolver config value: "${setting}". Expected "", "Host", or a path to an existing resolv.conf file.`,
    );
  });
});
