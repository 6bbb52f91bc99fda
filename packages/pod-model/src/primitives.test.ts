import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { PodSpec } from '@rxlet/kube-api';
import { describe, expect, it } from 'vitest';
import { containerHash } from './container-hash.ts';
import { podContainers } from './containers.ts';
import { expandVariables } from './expansion.ts';
import { milliCpuToQuota, milliCpuToShares } from './linux-resources.ts';
import { oomScoreAdj, podQosClass } from './qos.ts';
import { QuantityError } from './quantity-error.ts';
import { formatQuantity, parseQuantity, quantityMilliValue, quantityValue } from './quantity.ts';

interface Recorded {
  readonly fn: string;
  readonly input: unknown;
  readonly want: unknown;
}

/** What a kubelet answered, and what this package answers to the same input, in the same form. */
const answers: Record<string, (input: never) => unknown> = {
  containerHash,
  milliCPUToShares: (millis: number) => milliCpuToShares(millis),
  milliCPUToQuota: (millis: number) => milliCpuToQuota(millis),
  expand: ({ text, env }: { text: string; env: Record<string, string> }) => expandVariables(text, (name) => env[name]),
  quantity: (text: string) => {
    try {
      const quantity = parseQuantity(text);
      return {
        canonical: formatQuantity(quantity),
        value: String(quantityValue(quantity)),
        milliValue: String(quantityMilliValue(quantity)),
      };
    } catch (error) {
      if (error instanceof QuantityError) return { error: true };
      throw error;
    }
  },
  qosAndOom: ({ spec, memoryCapacityBytes }: { spec: PodSpec; memoryCapacityBytes: string }) => {
    const pod = { spec };
    const scores = podContainers(pod).map(({ container }): [string, number] => [
      container.name,
      oomScoreAdj(pod, container, BigInt(memoryCapacityBytes)),
    ]);
    return { qosClass: podQosClass(pod), oomScoreAdj: Object.fromEntries(scores) };
  },
};

const recorded = gunzipSync(readFileSync(new URL('fixtures/primitives.jsonl.gz', import.meta.url)))
  .toString()
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded);

describe('answers recorded from a kubelet', () => {
  it.each(Object.entries(answers))('%s', (fn, answer) => {
    const lines = recorded.filter((line) => line.fn === fn);
    expect(lines.length).toBe(150);
    const got = lines.map(({ input }) => ({ input, answer: answer(input as never) }));
    expect(got).toEqual(lines.map(({ input, want }) => ({ input, answer: want })));
  });
});
