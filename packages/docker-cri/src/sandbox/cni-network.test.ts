import { describe, expect, it } from 'vitest';
import { attachmentOf, createCniNetwork } from './cni-network.ts';

const network = {
  sandboxId: 'sb',
  pod: { name: 'web', namespace: 'default', uid: 'u' },
  netnsPath: '/proc/1/ns/net',
  hostPorts: [],
  annotations: {},
  dns: { servers: [], searches: [], options: [] },
};

describe('attachmentOf', () => {
  it('has only capabilities that were requested', () => {
    expect(attachmentOf(network)).toMatchObject({ containerId: 'sb', netnsPath: '/proc/1/ns/net', capabilities: {} });
  });

  it('has host ports, bandwidth and DNS', () => {
    const dns = { servers: ['10.0.0.10'], searches: [], options: [] };
    const annotations = { 'kubernetes.io/ingress-bandwidth': '10M', 'kubernetes.io/egress-bandwidth': '1k' };
    const hostPorts = [{ protocol: 'udp' as const, containerPort: 53, hostPort: 5353, hostIp: '127.0.0.1' }];
    expect(attachmentOf({ ...network, hostPorts, annotations, dns }).capabilities).toEqual({
      portMappings: [{ hostPort: 5353, containerPort: 53, protocol: 'udp', hostIP: '127.0.0.1' }],
      bandwidth: { ingressRate: 10_000_000, ingressBurst: 2_147_483_647, egressRate: 1000, egressBurst: 2_147_483_647 },
      dns,
    });
  });

  it.each(['fast', '10', '2P'])('rejects the bandwidth %s', (text) => {
    const annotations = { 'kubernetes.io/ingress-bandwidth': text };
    expect(() => attachmentOf({ ...network, annotations })).toThrow(
      'the annotation kubernetes.io/ingress-bandwidth is invalid',
    );
  });
});

it('returns the addresses of interfaces inside the sandbox', async () => {
  const result = {
    addresses: [
      { ip: '10.0.0.1', interfaceIndex: 0 },
      { ip: '10.0.0.2', interfaceIndex: 1 },
    ],
    interfaces: [{ sandbox: undefined }, { sandbox: '/proc/1/ns/net' }],
  };
  const own = createCniNetwork({
    status: async () => ({ isReady: false, message: 'no plugin' }),
    add: async () => result,
    remove: async () => undefined,
    result: async (id) => (id === 'sb' ? result : undefined),
    attachments: async () => [{ containerId: 'sb' }, { containerId: 'sb' }],
  });
  expect(await own.setUp(network)).toEqual(['10.0.0.2']);
  expect([await own.addresses('sb'), await own.addresses('other')]).toEqual([['10.0.0.2'], []]);
  expect(await own.connectedSandboxes()).toEqual(['sb']);
  expect(await own.notReadyReason()).toBe('no plugin');
});
