import type { Pod } from '@rxlet/kube-api';
import { describe, expect, it } from 'vitest';
import { hugetlbfsOf, tmpfsOf } from './empty-dir-medium.ts';

const podOf = (...containers: readonly object[]): Pod => ({
  metadata: { name: 'web' },
  spec: { containers: containers.map((resources, index) => ({ name: `c${String(index)}`, resources })) },
});

describe('tmpfsOf', () => {
  const node = { memory: '1Gi' };
  it.each([
    ['the memory of the node', podOf({}), undefined, 2 ** 30],
    ['the limit of the pod', podOf({ limits: { memory: '64Mi' } }), undefined, 2 ** 26],
    ['the limit of the volume', podOf({ limits: { memory: '64Mi' } }), '1Mi', 2 ** 20],
    ['no more than the pod may use', podOf({ limits: { memory: '64Mi' } }), '1Gi', 2 ** 26],
    [
      'no limit of a pod of which one container has none',
      podOf({ limits: { memory: '64Mi' } }, {}),
      undefined,
      2 ** 30,
    ],
    ['no limit of zero', podOf({}), '0', 2 ** 30],
  ])('has the size of %s', (_title, pod, sizeLimit, bytes) => {
    expect(tmpfsOf(pod, sizeLimit === undefined ? {} : { sizeLimit }, node, false)).toEqual({
      source: 'tmpfs',
      fsType: 'tmpfs',
      options: [`size=${String(bytes)}`],
    });
  });

  it('has no size on a node of unknown size without limits, and stays out of swap', () => {
    expect(tmpfsOf(podOf({}), {}, {}, true).options).toEqual(['noswap']);
    expect(tmpfsOf(podOf({}), { sizeLimit: '1Mi' }, {}, false).options).toEqual(['size=1048576']);
  });
});

describe('hugetlbfsOf', () => {
  const one = podOf({ requests: { 'hugepages-2Mi': '4Mi' } });
  const two = podOf({ requests: { 'hugepages-2Mi': '4Mi' } }, { requests: { 'hugepages-1Gi': '1Gi' } });

  it('has the page size of the requests, or the one of the medium', () => {
    expect(hugetlbfsOf(one, 'HugePages').options).toEqual(['pagesize=2Mi']);
    expect(hugetlbfsOf(two, 'HugePages-1024Mi').options).toEqual(['pagesize=1Gi']);
  });

  it('rejects pages that the pod does not request, and several sizes', () => {
    const missing = 'hugePages storage requested, but there is no resource request for huge pages';
    expect(() => hugetlbfsOf(podOf({}), 'HugePages')).toThrow(`medium HugePages: ${missing}`);
    expect(() => hugetlbfsOf(one, 'HugePages-1Gi')).toThrow(`medium HugePages-1Gi: ${missing}`);
    expect(() => hugetlbfsOf(two, 'HugePages')).toThrow(
      "medium: HugePages can't be used if container requests multiple huge page sizes",
    );
  });
});
