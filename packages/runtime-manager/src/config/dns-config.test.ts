import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { podDns } from './dns-config.ts';
import { parseResolvConf } from './resolv-conf.ts';

const settings = {
  clusterDns: ['10.96.0.10'],
  clusterDomain: 'cluster.local',
  nodeIps: ['192.0.2.1', '2001:db8::1'],
  resolvConf: parseResolvConf('nameserver 192.0.2.53\nsearch corp.example\noptions timeout:2\n'),
};

function lines(
  pod: Parameters<typeof testPod>[0],
  changes: Partial<typeof settings> | { resolvConf: undefined } = {},
): unknown {
  const { servers, searches, options } = podDns(testPod(pod), { ...settings, ...changes }).config;
  return { servers, searches, options };
}

const host = { servers: ['192.0.2.53'], searches: ['corp.example'], options: ['timeout:2'] };
const cluster = {
  servers: ['10.96.0.10'],
  searches: ['default.svc.cluster.local', 'svc.cluster.local', 'cluster.local', 'corp.example'],
  options: ['ndots:5'],
};

describe('podDns', () => {
  it('follows the policy', () => {
    expect(lines({})).toEqual(cluster);
    expect(lines({ spec: { dnsPolicy: 'Default' } })).toEqual(host);
    expect(lines({ spec: { hostNetwork: true } })).toEqual(host);
    expect(lines({ spec: { hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' } })).toEqual(cluster);
    expect(lines({ spec: { dnsPolicy: 'None', dnsConfig: { nameservers: ['1.1.1.1'] } } })).toEqual({
      servers: ['1.1.1.1'],
      searches: [],
      options: [],
    });
  });

  it('adds no cluster searches without a cluster domain', () => {
    expect(lines({}, { clusterDomain: '' })).toEqual({ ...cluster, searches: ['corp.example'] });
  });

  it('uses a resolver on the node without a resolv.conf', () => {
    const expected = { servers: ['127.0.0.1', '::1'], searches: ['.'], options: [] };
    expect(lines({ spec: { dnsPolicy: 'Default' } }, { resolvConf: undefined })).toEqual(expected);
  });

  it('falls back to the node’s DNS with a warning when the cluster has none', () => {
    const { config, warnings } = podDns(testPod(), { ...settings, clusterDns: [] });
    expect(config.servers).toEqual(['192.0.2.53']);
    expect(warnings).toEqual([
      {
        reason: 'MissingClusterDNS',
        message:
          'pod: "web_default(uid-web)". kubelet does not have ClusterDNS IP configured and cannot create Pod using "ClusterFirst" policy. Falling back to "Default" policy.',
      },
    ]);
  });

  it('adds the entries of the pod’s dnsConfig without duplicates, options by name', () => {
    const dnsConfig = {
      nameservers: ['10.96.0.10', '1.1.1.1'],
      searches: ['corp.example', 'extra.example'],
      options: [{ name: 'ndots', value: '2' }, { name: 'edns0' }],
    };
    expect(lines({ spec: { dnsConfig } })).toEqual({
      servers: ['10.96.0.10', '1.1.1.1'],
      searches: [...cluster.searches, 'extra.example'],
      options: ['ndots:2', 'edns0'],
    });
  });

  it('omits entries beyond three servers and 32 searches of 2048 characters', () => {
    const many = (count: number, length: number): string[] =>
      Array.from({ length: count }, (_, index) => `${String(index)}-`.padEnd(length, 'x'));
    const dns = (dnsConfig: object): ReturnType<typeof podDns> =>
      podDns(testPod({ spec: { dnsPolicy: 'None', dnsConfig } }), settings);

    const servers = dns({ nameservers: ['1.1.1.1', '2.2.2.2', '3.3.3.3', '4.4.4.4'] });
    expect(servers.config.servers).toHaveLength(3);
    expect(servers.warnings[0]?.message).toBe(
      'Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver line is: 1.1.1.1 2.2.2.2 3.3.3.3',
    );
    expect(dns({ searches: many(40, 5) }).config.searches).toHaveLength(32);
    expect(dns({ searches: many(20, 200) }).config.searches).toHaveLength(10);
    const long = dns({ searches: ['short', 'x'.repeat(254)] });
    expect(long.config.searches).toEqual(['short']);
    expect(long.warnings).toEqual([
      {
        reason: 'DNSConfigForming',
        message:
          'Search Line limits were exceeded, some search paths have been omitted, the applied search line is: short',
      },
    ]);
  });
});

describe('parseResolvConf', () => {
  it('parses it like a kubelet', () => {
    const text = [
      '# comment',
      ' nameserver   1.1.1.1 # not a comment',
      'nameserver 2.2.2.2',
      'search a.example',
      'search . b.example. c.example',
      'options ndots:1 timeout:2',
      'options ndots:3',
    ].join('\n');
    expect(parseResolvConf(text)).toEqual({
      nameservers: ['1.1.1.1', '2.2.2.2'],
      searches: ['b.example', 'c.example'],
      options: ['ndots:3', 'timeout:2'],
    });
  });

  it('rejects a server without an address', () => {
    expect(() => parseResolvConf('nameserver\n')).toThrow();
  });
});
