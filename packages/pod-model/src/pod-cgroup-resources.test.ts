import type { Container, Pod } from '@rxlet/kube-api';
import { describe, expect, it } from 'vitest';
import { podCgroupResources } from './pod-cgroup-resources.ts';
import { QuantityError } from './quantity-error.ts';
import { testPod } from './testing.ts';

type Resources = NonNullable<Container['resources']>;

const MI = 1024 ** 2;

function pod(containers: readonly Resources[], rest: Partial<NonNullable<Pod['spec']>> = {}): Pod {
  return testPod({
    containers: containers.map((resources, index) => ({ name: `c${String(index)}`, resources })),
    spec: rest,
  });
}
const same = (cpu: string, memory: string): Resources => ({ requests: { cpu, memory }, limits: { cpu, memory } });

describe('podCgroupResources', () => {
  it.each<[string, Pod, ReturnType<typeof podCgroupResources>]>([
    ['nothing asked for', pod([{}]), { cpuShares: 2, hugePageLimits: {} }],
    [
      'Guaranteed: both limits',
      pod([same('500m', '64Mi'), same('250m', '32Mi')]),
      { cpuShares: 768, cpuQuotaUs: 75_000, cpuPeriodUs: 100_000, memoryLimitBytes: 96 * MI, hugePageLimits: {} },
    ],
    [
      'Burstable: a limit that every container has, and no other',
      pod([
        { requests: { cpu: '100m' }, limits: { cpu: '1', memory: '64Mi' } },
        { requests: { cpu: '100m' }, limits: { memory: '64Mi' } },
      ]),
      { cpuShares: 204, memoryLimitBytes: 128 * MI, hugePageLimits: {} },
    ],
    [
      'an init container without limits counts too',
      pod([{ requests: { cpu: '100m' }, limits: { cpu: '1', memory: '64Mi' } }], {
        initContainers: [{ name: 'init', resources: { limits: { cpu: '2' } } }],
      }),
      { cpuShares: 102, cpuQuotaUs: 200_000, cpuPeriodUs: 100_000, hugePageLimits: {} },
    ],
    [
      'an init container beside a sidecar that has limits does not',
      pod([{ limits: { memory: '64Mi' } }], {
        initContainers: [
          { name: 'proxy', restartPolicy: 'Always', resources: { limits: { memory: '16Mi' } } },
          { name: 'init' },
        ],
      }),
      { cpuShares: 2, memoryLimitBytes: 80 * MI, hugePageLimits: {} },
    ],
    [
      'a limit of zero is none',
      pod([{ requests: { cpu: '100m' }, limits: { cpu: '0', memory: '64Mi' } }]),
      { cpuShares: 102, memoryLimitBytes: 64 * MI, hugePageLimits: {} },
    ],
    [
      'limits of the pod as a whole',
      pod([{}, { limits: { memory: '32Mi' } }], {
        resources: { requests: { cpu: '2' }, limits: { cpu: '3', memory: '1Gi' } },
      }),
      { cpuShares: 2048, cpuQuotaUs: 300_000, cpuPeriodUs: 100_000, memoryLimitBytes: 1024 * MI, hugePageLimits: {} },
    ],
    [
      'overhead, on top of requests and of limits that are there',
      pod([{ requests: { cpu: '1' }, limits: { memory: '32Mi' } }], { overhead: { cpu: '250m', memory: '32Mi' } }),
      { cpuShares: 1280, memoryLimitBytes: 64 * MI, hugePageLimits: {} },
    ],
    [
      'huge pages by their size, whatever the class',
      pod([
        { requests: { 'hugepages-2Mi': '4Mi', 'hugepages-1Gi': '1Gi' }, limits: { 'hugepages-2Mi': '4Mi' } },
        { requests: { 'hugepages-2Mi': '6Mi' } },
      ]),
      { cpuShares: 2, hugePageLimits: { 2097152: 10 * MI, 1073741824: 1024 * MI } },
    ],
  ])('%s', (_, given, want) => {
    expect(podCgroupResources(given)).toEqual(want);
  });

  it('applies the period, and sets no quota when limits are not enforced', () => {
    const guaranteed = pod([same('500m', '64Mi')]);
    expect(podCgroupResources(guaranteed, { cpuPeriodUs: 10_000 })).toMatchObject({
      cpuQuotaUs: 5000,
      cpuPeriodUs: 10_000,
    });
    expect(podCgroupResources(guaranteed, { enforceCpuLimits: false })).toMatchObject({
      cpuQuotaUs: -1,
      cpuPeriodUs: 100_000,
      memoryLimitBytes: 64 * MI,
    });
  });

  it('rejects a malformed quantity', () => {
    expect(() => podCgroupResources(pod([{ limits: { memory: 'much' } }]))).toThrow(QuantityError);
  });
});
