import { describe, expect, it } from 'vitest';
import { parseResult, sandboxAddresses } from './result.ts';

describe('parseResult', () => {
  it('reads results from version 0.3.0 on', () => {
    const result = parseResult({
      cniVersion: '1.0.0',
      interfaces: [
        { name: 'cni0', mac: '0a:00' },
        { name: 'eth0', sandbox: '/proc/1/ns/net' },
      ],
      ips: [
        { address: '10.1.0.1/16', interface: 0 },
        { address: '10.1.0.2/16', gateway: '10.1.0.1', interface: 1 },
        { address: 'fd00::2/64', interface: 1 },
      ],
    });
    expect(result.addresses[1]).toEqual({
      ip: '10.1.0.2',
      cidr: '10.1.0.2/16',
      interfaceIndex: 1,
      gateway: '10.1.0.1',
    });
    expect(sandboxAddresses(result)).toEqual(['10.1.0.2', 'fd00::2']);
  });

  it('reads results of earlier versions', () => {
    const result = parseResult({ ip4: { ip: '10.1.0.2/16', gateway: '10.1.0.1' }, ip6: { ip: 'fd00::2/64' } });
    expect(sandboxAddresses(result)).toEqual(['10.1.0.2', 'fd00::2']);
  });

  it('ignores fields of other types', () => {
    expect(parseResult({ ips: 'none', interfaces: [null] })).toMatchObject({ addresses: [] });
  });
});
