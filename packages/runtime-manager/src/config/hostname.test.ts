import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { kernelHostname, podHostname } from './hostname.ts';

describe('the host name of a pod', () => {
  it('is its name, cut to a DNS label', () => {
    expect(podHostname(testPod(), 'c.local')).toEqual({ hostname: 'web', domain: '' });
    expect(podHostname(testPod({ name: `${'a'.repeat(61)}.-b` }), 'c.local').hostname).toBe('a'.repeat(61));
  });

  it('is that of the spec, in the domain of its subdomain', () => {
    const pod = testPod({ spec: { hostname: 'h', subdomain: 's' } });
    expect(podHostname(pod, 'c.local')).toEqual({ hostname: 'h', domain: 's.default.svc.c.local' });
    const overridden = testPod({ spec: { hostnameOverride: 'x.example', hostname: 'h', subdomain: 's' } });
    expect(podHostname(overridden, 'c.local')).toEqual({ hostname: 'x.example', domain: '' });
  });

  it.each([{ hostname: 'Not_a_label' }, { subdomain: 'a.b' }, { hostnameOverride: '-x' }])(
    'is rejected as %o',
    (spec) => {
      expect(() => podHostname(testPod({ spec }), 'c.local')).toThrow(
        expect.objectContaining({ reason: 'CreatePodSandboxError' }),
      );
    },
  );

  it('is fully qualified in the kernel only if the pod demands it and it fits', () => {
    const name = { hostname: 'h', domain: 's.default.svc.c.local' };
    const full = testPod({ spec: { setHostnameAsFQDN: true } });
    expect(kernelHostname(testPod(), name)).toBe('h');
    expect(kernelHostname(full, name)).toBe('h.s.default.svc.c.local');
    expect(kernelHostname(full, { hostname: 'h', domain: '' })).toBe('h');
    const long = 'x'.repeat(63);
    expect(() => kernelHostname(full, { hostname: 'h', domain: long })).toThrow(
      `failed to construct FQDN from pod hostname and cluster domain, FQDN h.${long} is too long (64 characters is the max, 65 characters requested)`,
    );
  });
});
