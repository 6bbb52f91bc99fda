import { create } from '@bufbuild/protobuf';
import { noopLogger } from '@rxlet/component-base';
import { noopMetrics } from '@rxlet/component-base/metrics';
import { createVirtualClock } from '@rxlet/component-base/testing';
import type { Pod } from '@rxlet/kube-api';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import { isSidecar } from '@rxlet/pod-model';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ContainerAllocateResponseSchema } from '../gen/deviceplugin/v1beta1/api_pb.js';
import { createDeviceManager, type DeviceManager } from './device-manager.ts';
import type { PluginDevice } from './plugins/device.ts';
import type { ConnectDevicePlugin } from './plugins/device-plugin.ts';
import { devices, GPU, podOf, using } from './test-support.ts';

type Step =
  | {
      readonly kind: 'admit';
      readonly pod: number;
      readonly init: number;
      readonly sidecar: number;
      readonly app: number;
    }
  | { readonly kind: 'end'; readonly pod: number }
  | { readonly kind: 'restart' | 'housekeeping' | 'leave' | 'return' }
  | { readonly kind: 'break'; readonly device: number }
  | { readonly kind: 'fail'; readonly device: number };

const DEVICES = 6;
const count = fc.integer({ min: 0, max: 3 });
const pod = fc.integer({ min: 0, max: 3 });
const device = fc.integer({ min: 0, max: DEVICES - 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('admit' as const), pod, init: count, sidecar: count, app: count }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('end' as const), pod }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('restart', 'housekeeping', 'leave', 'return') }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('break', 'fail'), device }) },
);

/** A node with one plugin in memory, and pods that come and go. */
function createModel() {
  const memory = createMemoryFiles();
  const clock = createVirtualClock();
  const desired = new Map<string, Pod>();
  const broken = new Set<string>();
  let failing = '';
  let generation = 0;
  let manager: DeviceManager | undefined;
  let publish: (() => void) | undefined;
  const list = (): readonly PluginDevice[] =>
    devices(DEVICES).map(({ id }) => ({ id, isHealthy: !broken.has(id), numaNodes: [] }));
  const connect: ConnectDevicePlugin = () => ({
    options: async () => ({ preStartRequired: false, preferredAllocationAvailable: true }),
    watch: (onDevices, signal) =>
      new Promise((resolve) => {
        publish = () => onDevices(list());
        publish();
        signal.addEventListener('abort', () => resolve(), { once: true });
      }),
    // A plugin that lies: it prefers devices that are in use, unknown or named twice.
    prefer: async ({ available }) => ['unknown', 'd5', 'd0', 'd5', ...available.toReversed()],
    async allocate(ids) {
      if (ids.includes(failing)) throw new Error('broken');
      return create(ContainerAllocateResponseSchema, { envs: { IDS: ids.join(',') } });
    },
    preStart: async () => undefined,
    [Symbol.dispose]: () => undefined,
  });
  const handle = { type: 'DevicePlugin', name: GPU, endpoint: '/plugin.sock', versions: ['v1beta1'] };
  const enter = () => manager!.handler.register(handle, new AbortController().signal);
  const start = async (): Promise<void> => {
    await manager?.[Symbol.asyncDispose]();
    const isDesired = (uid: string): boolean => desired.has(uid);
    manager = createDeviceManager(
      {
        clock,
        connect,
        files: memory.nodeFiles,
        logger: noopLogger,
        metrics: noopMetrics,
        serve: async () => ({ [Symbol.asyncDispose]: async () => undefined }),
        mayUseDevices: isDesired,
        runningPods: async () => new Set(desired.keys()),
      },
      '/root/device-plugins',
    );
    await manager.start(new AbortController().signal);
    for (const known of desired.values()) expect(await manager.admit(known)).toBeUndefined();
  };
  const idsOf = (uid: string, name: string): readonly string[] =>
    manager!.devices.ofContainer(uid, name).flatMap(({ deviceIds }) => deviceIds);
  const all = (): string =>
    JSON.stringify(
      [...desired].map(([uid, { spec }]) => [
        uid,
        [...spec!.initContainers!, ...spec!.containers].map(({ name }) => idsOf(uid, name)),
      ]),
    );

  return {
    start: async () => {
      await start();
      await enter();
    },
    stop: async () => manager?.[Symbol.asyncDispose](),
    async run(next: Step): Promise<void> {
      switch (next.kind) {
        case 'admit': {
          const slot = `pod-${String(next.pod)}-`;
          if ([...desired.keys()].some((uid) => uid.startsWith(slot))) return;
          const uid = `${slot}${String((generation += 1))}`;
          const sidecar = using('sidecar', next.sidecar, { restartPolicy: 'Always' });
          const made = podOf(uid, [using('app', next.app)], [using('init', next.init), sidecar]);
          desired.set(uid, made);
          const rejection = await manager!.admit(made);
          if (rejection === undefined) return;
          desired.delete(uid);
          expect(idsOf(uid, 'app'), rejection.message).toEqual([]);
          return;
        }
        case 'end':
          for (const uid of desired.keys()) if (uid.startsWith(`pod-${String(next.pod)}-`)) desired.delete(uid);
          return;
        case 'restart': {
          const before = all();
          await start();
          expect(all()).toBe(before);
          await enter();
          expect(all()).toBe(before);
          return;
        }
        case 'housekeeping':
          await manager!.freeDevices();
          expect(manager!.devices.inUseWith('none')).toBeUndefined();
          return;
        case 'leave':
          manager!.handler.deregister(handle);
          return;
        case 'return':
          await enter();
          return;
        case 'break': {
          const id = `d${String(next.device)}`;
          if (!broken.delete(id)) broken.add(id);
          publish?.();
          return;
        }
        case 'fail':
          failing = failing === '' ? `d${String(next.device)}` : '';
      }
    },
    /** Asserts that no device is used twice at the same time, and that each container has as many as it requests. */
    check(): void {
      const users = new Map<string, string>();
      for (const [uid, { spec }] of desired) {
        for (const container of [...spec!.initContainers!, ...spec!.containers]) {
          const ids = idsOf(uid, container.name);
          if (isSidecar(container) || container.name === 'app') {
            for (const id of ids) {
              expect(users.get(id), `device ${id} of ${uid}/${container.name}`).toBeUndefined();
              users.set(id, `${uid}/${container.name}`);
            }
          } else for (const id of ids) expect(users.get(id)?.startsWith(`${uid}/`) ?? true).toBe(true);
          expect(ids).toHaveLength(Number(container.resources!.limits![GPU]));
        }
      }
    },
    /** Ends all pods, and asserts that all healthy devices are free. */
    async drain(): Promise<void> {
      desired.clear();
      broken.clear();
      failing = '';
      await enter();
      const last = podOf('last', [using('app', DEVICES)]);
      desired.set('last', last);
      expect(await manager!.admit(last)).toBeUndefined();
    },
  };
}

it('never gives a device to two containers at once, frees all in the end, and keeps them over restarts', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const model = createModel();
      try {
        await model.start();
        for (const next of steps) {
          await model.run(next);
          model.check();
        }
        await model.drain();
      } finally {
        await model.stop();
      }
    }),
    { numRuns: 200 },
  );
});
