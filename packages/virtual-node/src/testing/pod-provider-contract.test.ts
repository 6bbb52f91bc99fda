import { createVirtualClock } from '@rxlet/component-base/testing';
import { podUid } from '@rxlet/pod-model';
import { describe, expect, it } from 'vitest';
import type { PodProvider } from '../pod-provider.ts';
import { ProviderError } from '../provider-error.ts';
import { createMemoryProvider } from './memory-provider.ts';
import { podProviderContract, type ProviderSubject } from './pod-provider-contract.ts';

/** A memory provider whose containers behave as the contract says. `change` replaces methods. */
function memorySubject(change: (provider: PodProvider) => Partial<PodProvider> = () => ({})): ProviderSubject {
  const clock = createVirtualClock();
  const memory = createMemoryProvider({ clock });
  let isCut = false;
  const guarded: PodProvider = {
    ...memory.provider,
    async create(pod, options) {
      const had = memory.get(podUid(pod)) !== undefined;
      await memory.provider.create(pod, options);
      if (had) return;
      const ends = (pod.spec?.containers ?? []).map(({ name, args: [code] = [] }) =>
        code === undefined
          ? ({ name, state: 'running' } as const)
          : ({ name, state: 'exited', exitCode: Number(code) } as const),
      );
      memory.report(podUid(pod), ends);
    },
    async delete(pod, options) {
      if (isCut) throw new ProviderError('Unavailable', 'cut off');
      return memory.provider.delete(pod, options);
    },
  };
  const provider = { ...guarded, ...change(guarded) };
  return {
    provider,
    clock,
    pass: clock.advance,
    container: ({ exitCode }) => ({ image: 'app:1', ...(exitCode !== undefined && { args: [String(exitCode)] }) }),
    restart: async () => provider,
    remove: async (uid) => memory.remove(uid),
    async disconnect() {
      isCut = true;
      const reconnect = memory.disconnect();
      return async () => {
        isCut = false;
        reconnect();
      };
    },
  };
}

const rule = (name: string) =>
  podProviderContract({ remove: true, disconnect: true }).find((one) => one.name === name)!;

describe('the contract of providers', () => {
  it.each(podProviderContract({ remove: true, disconnect: true }).map((one) => [one.name, one] as const))(
    'holds for the memory provider, which %s',
    async (_name, { check }) => check(memorySubject()),
  );

  it.each<[string, (provider: PodProvider) => Partial<PodProvider>]>([
    ['runs a pod and reports every container of it', () => ({ create: async () => undefined })],
    [
      'rejects the deletion of an unknown pod with the reason NotFound',
      () => ({ delete: () => Promise.reject(new Error('what pod?')) }),
    ],
    ['ends a deleted pod, and reports the exits before the removal', () => ({ delete: async () => undefined })],
    [
      'reports no pod as gone while it cannot see the pods',
      (provider) => ({
        async *watch(signal) {
          try {
            yield* provider.watch(signal);
          } catch {
            yield { type: 'snapshot', pods: [] };
          }
        },
      }),
    ],
    [
      'reports the exit codes of containers, and keeps the pod until it is deleted',
      (provider) => ({
        async *watch(signal) {
          for await (const change of provider.watch(signal)) {
            if (change.type !== 'changed') yield change;
            else {
              const containers = change.pod.containers.map((one) => ({ ...one, finishedAtMs: Number.NaN }));
              yield { type: 'changed', pod: { ...change.pod, containers } };
            }
          }
        },
      }),
    ],
  ])('is broken by a provider that does not keep the rule "%s"', async (name, change) => {
    await expect(rule(name).check(memorySubject(change))).rejects.toThrow();
  });
});
