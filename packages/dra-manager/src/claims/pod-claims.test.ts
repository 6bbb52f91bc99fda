import type { Container, Pod, PodResourceClaim, PodStatus } from '@rxlet/kube-api';
import { describe, expect, it } from 'vitest';
import { claimsOfPod, requestsOfContainer, usedClaim } from './pod-claims.ts';

const ON = { extendedResources: true };
const OFF = { extendedResources: false };
const GPU = 'example.com/gpu';

function podWith(resourceClaims: readonly PodResourceClaim[], status: PodStatus = {}): Pod {
  return { metadata: { name: 'web', namespace: 'ns' }, spec: { containers: [], resourceClaims }, status };
}

const EXTENDED: PodStatus = {
  extendedResourceClaimStatus: {
    resourceClaimName: 'extended',
    requestMappings: [
      { containerName: 'app', resourceName: GPU, requestName: 'container-0-request-0' },
      { containerName: 'other', resourceName: GPU, requestName: 'container-1-request-0' },
    ],
  },
};

describe('usedClaim', () => {
  it.each<[string, PodResourceClaim, PodStatus, unknown]>([
    ['a claim by name', { name: 'a', resourceClaimName: 'x' }, {}, { name: 'x', isGenerated: false }],
    [
      'the claim of a template',
      { name: 'a', resourceClaimTemplateName: 't' },
      {
        resourceClaimStatuses: [
          { name: 'b', resourceClaimName: 'z' },
          { name: 'a', resourceClaimName: 'y' },
        ],
      },
      { name: 'y', isGenerated: true },
    ],
    [
      'no claim of a template that needs none',
      { name: 'a', resourceClaimTemplateName: 't' },
      { resourceClaimStatuses: [{ name: 'a' }] },
      undefined,
    ],
  ])('returns %s', (_title, entry, status, expected) => {
    expect(usedClaim(podWith([entry], status), entry)).toEqual(expected);
  });

  it.each<[string, PodResourceClaim, string]>([
    [
      'does not exist yet',
      { name: 'a', resourceClaimTemplateName: 't' },
      'pod "ns/web": ResourceClaim not created yet',
    ],
    ['has no source', { name: 'a' }, 'pod "ns/web", spec.resourceClaim "a": none of the supported fields are set'],
  ])('throws for a claim that %s', (_title, entry, message) => {
    expect(() => usedClaim(podWith([entry]), entry)).toThrow(message);
  });
});

describe('claimsOfPod', () => {
  const entries = [
    { name: 'a', resourceClaimName: 'x' },
    { name: 'b', resourceClaimTemplateName: 't' },
    { name: 'c', resourceClaimName: 'x' },
  ];
  const status = { ...EXTENDED, resourceClaimStatuses: [{ name: 'b', resourceClaimName: 'y' }] };

  it('lists each claim once, that of extended resources last', () => {
    expect(claimsOfPod(podWith(entries, status), ON)).toEqual([
      { name: 'x', isGenerated: false },
      { name: 'y', isGenerated: true },
      { name: 'extended', isGenerated: false },
    ]);
    expect(claimsOfPod(podWith(entries, status), OFF)).toHaveLength(2);
  });

  it('requires the ownership of a claim that one of two entries generated', () => {
    const both = [
      { name: 'b', resourceClaimTemplateName: 't' },
      { name: 'a', resourceClaimName: 'y' },
    ];
    expect(claimsOfPod(podWith(both, status), OFF)).toEqual([{ name: 'y', isGenerated: true }]);
  });
});

describe('requestsOfContainer', () => {
  const pod = podWith(
    [
      { name: 'a', resourceClaimName: 'x' },
      { name: 'b', resourceClaimName: 'y' },
    ],
    EXTENDED,
  );
  it.each<[string, Container['resources'], unknown]>([
    ['no claims', {}, []],
    ['a whole claim', { claims: [{ name: 'b' }] }, [{ claimName: 'y', requests: [''] }]],
    [
      'two requests of a claim',
      {
        claims: [
          { name: 'a', request: 'r1' },
          { name: 'a', request: 'r2' },
        ],
      },
      [{ claimName: 'x', requests: ['r1', 'r2'] }],
    ],
    ['no claim that the pod does not have', { claims: [{ name: 'c' }] }, []],
    [
      'extended resources',
      { requests: { [GPU]: '1' } },
      [{ claimName: 'extended', requests: ['container-0-request-0'] }],
    ],
    ['none of an extended resource', { requests: { [GPU]: '0' } }, []],
    ['no other resource', { requests: { cpu: '1' } }, []],
  ])('returns %s', (_title, resources, expected) => {
    expect(requestsOfContainer(pod, { name: 'app', resources: resources! }, ON)).toEqual(expected);
  });

  it('leaves extended resources out when they are not provided by claims', () => {
    expect(requestsOfContainer(pod, { name: 'app', resources: { requests: { [GPU]: '1' } } }, OFF)).toEqual([]);
  });

  it('looks at each claim of the container once, however many it has', () => {
    let reads = 0;
    const names = Array.from({ length: 100 }, (_, index) => `c${String(index)}`);
    const claims = names.map((name) => ({
      get name() {
        reads += 1;
        return name;
      },
    }));
    const many = podWith(names.map((name) => ({ name, resourceClaimName: name })));
    expect(requestsOfContainer(many, { name: 'app', resources: { claims } }, ON)).toHaveLength(100);
    expect(reads).toBe(100);
  });
});
