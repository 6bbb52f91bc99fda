import { formatQuantity } from '@rxlet/pod-model/quantity';
import { expect, it } from 'vitest';
import { machineCapacity } from './machine-capacity.ts';

it('names huge pages by their size', () => {
  const hugePages = [
    { sizeBytes: 64 * 1024, count: 0 },
    { sizeBytes: 2 * 1024 ** 2, count: 3 },
    { sizeBytes: 1024 ** 3, count: 1 },
  ];
  const amounts = Object.entries(machineCapacity({ cores: 3, memoryBytes: 8 * 1024 ** 3, hugePages }));
  expect(Object.fromEntries(amounts.map(([name, amount]) => [name, formatQuantity(amount)]))).toEqual({
    cpu: '3',
    memory: '8Gi',
    'hugepages-64Ki': '0',
    'hugepages-2Mi': '6Mi',
    'hugepages-1Gi': '1Gi',
  });
});
