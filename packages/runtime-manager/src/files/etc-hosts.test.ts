import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { etcHostsContent } from './etc-hosts.ts';

const hostAliases = [
  { ip: '1.2.3.4', hostnames: ['a.example', 'b.example'] },
  { ip: '5.6.7.8', hostnames: ['c.example'] },
];

describe('etcHostsContent', () => {
  it('names the pod under each of its addresses, with its domain first', () => {
    const pod = testPod({ spec: { hostAliases } });
    const content = etcHostsContent(pod, ['10.0.0.7', 'fd00::7'], { hostname: 'web', domain: 'sub.ns.svc.c' }, '');
    expect(content).toBe(
      [
        '# Kubernetes-managed hosts file.',
        '127.0.0.1\tlocalhost',
        '::1\tlocalhost ip6-localhost ip6-loopback',
        'fe00::0\tip6-localnet',
        'fe00::0\tip6-mcastprefix',
        'fe00::1\tip6-allnodes',
        'fe00::2\tip6-allrouters',
        '10.0.0.7\tweb.sub.ns.svc.c\tweb',
        'fd00::7\tweb.sub.ns.svc.c\tweb',
        '',
        '# Entries added by HostAliases.',
        '1.2.3.4\ta.example\tb.example',
        '5.6.7.8\tc.example',
        '',
      ].join('\n'),
    );
  });

  it('names only the host name without a domain', () => {
    const content = etcHostsContent(testPod(), ['10.0.0.7'], { hostname: 'web', domain: '' }, '');
    expect(content.endsWith('10.0.0.7\tweb\n')).toBe(true);
  });

  it('is a copy of the node’s file on the node’s network', () => {
    const pod = testPod({ spec: { hostNetwork: true, hostAliases: hostAliases.slice(1) } });
    expect(etcHostsContent(pod, [], { hostname: 'web', domain: '' }, '127.0.0.1 node1\n')).toBe(
      '# Kubernetes-managed hosts file (host network).\n127.0.0.1 node1\n\n# Entries added by HostAliases.\n5.6.7.8\tc.example\n',
    );
  });
});
