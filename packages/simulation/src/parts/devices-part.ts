import { contribute } from '@rxlet/agent-api';
import { containerSteps } from '@rxlet/agent-api/containers';
import { onAbort } from '@rxlet/component-base';
import { create } from '@bufbuild/protobuf';
import { type DevicePlugin, devicePlugins, type PluginDevice } from '@rxlet/device-manager';
import { ContainerAllocateResponseSchema } from '@rxlet/device-manager/testing';
import type { Node } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { podUid } from '@rxlet/pod-model';
import { contributing } from '@rxlet/testing';
import { DEVICE_RESOURCE } from '../workload/part-steps.ts';
import type { PartContext, PartKind, WorldPart } from './world-part.ts';

const DEVICES = ['d0', 'd1', 'd2', 'd3'] as const;
const DEVICES_ANNOTATION = 'example.com/devices';
const PLUGIN = { type: 'DevicePlugin', name: DEVICE_RESOURCE, supportedVersions: ['v1beta1'] };

/** A device plugin that dies, hangs, and whose devices change their health. */
export const devicesPart: PartKind = {
  name: 'devices',
  steps: 6,
  make: (choose) => ({
    do: 'devices',
    trouble: choose.pick(['sick', 'dead', 'hanging']),
    index: choose.integer(0, DEVICES.length - 1),
    ms: choose.pick([choose.integer(1, 2_000), choose.integer(1_000, 60_000), choose.integer(200_000, 400_000)]),
  }),
  extras: (choose) => ({ devices: choose.pick([0, 0, 1, 2]) }),
  create: createDevices,
};

function createDevices({ cluster, history, plugins }: PartContext): WorldPart {
  const { kube } = cluster;
  const sick = new Set<string>();
  let isDead = false;
  let hang: PromiseWithResolvers<void> | undefined;
  /** Ends the streams of the plugin, and publishes its devices. */
  const streams = new Set<{ readonly publish: () => void; readonly end: () => void }>();
  const devices = (): readonly PluginDevice[] => DEVICES.map((id) => ({ id, isHealthy: !sick.has(id), numaNodes: [] }));
  const connect = (): DevicePlugin => ({
    options: async () => ({ preStartRequired: false, preferredAllocationAvailable: false }),
    watch: (onDevices, signal) =>
      new Promise((resolve, reject) => {
        if (isDead) {
          reject(new Error('connect ECONNREFUSED'));
          return;
        }
        const stream = {
          publish: () => onDevices(devices()),
          end(): void {
            streams.delete(stream);
            resolve();
          },
        };
        streams.add(stream);
        onAbort(signal, stream.end);
        stream.publish();
      }),
    prefer: async () => [],
    async allocate(ids, { signal }) {
      if (isDead) throw new Error('connect ECONNREFUSED');
      if (hang !== undefined) {
        const aborted = Promise.withResolvers<never>();
        using _aborting = signal === undefined ? undefined : onAbort(signal, aborted.reject);
        await Promise.race([hang.promise, aborted.promise]);
      }
      return create(ContainerAllocateResponseSchema, { annotations: { [DEVICES_ANNOTATION]: ids.join() } });
    },
    preStart: async () => undefined,
    [Symbol.dispose]: () => undefined,
  });
  const socket = plugins.add('device-reg', PLUGIN);
  const revive = (): void => {
    if (!isDead) return;
    isDead = false;
    socket.open();
  };
  const goOn = (): void => {
    hang?.resolve();
    hang = undefined;
  };
  const publish = (): void => {
    for (const stream of streams) stream.publish();
  };
  /** Devices of the container that is created next, by pod and name. */
  const given = new Map<string, string>();

  return {
    name: 'devices',
    endReasons: ['UnexpectedAdmissionError', 'PodFeatureUnsupported', `OutOf${DEVICE_RESOURCE}`],
    modules: ({ signal }) => [
      devicePlugins({ connect, serve: async () => ({ [Symbol.asyncDispose]: async () => undefined }) }),
      contributing(
        {
          contributions: [
            contribute(containerSteps, {
              name: 'device-recorder',
              preCreate: (pod, { name }, { annotations }) =>
                void given.set(`${podUid(pod)}/${name}`, annotations[DEVICES_ANNOTATION] ?? ''),
              preStart(pod, { name }, id) {
                const ids = given.get(`${podUid(pod)}/${name}`) ?? '';
                if (ids !== '' && !signal.aborted)
                  history.add({ kind: 'devices', uid: podUid(pod), container: id, devices: ids.split(',') });
              },
            }),
          ],
        },
        'device-recorder',
      ),
    ],
    run(step, later) {
      if (step.do !== 'devices') return false;
      switch (step.trouble) {
        case 'sick': {
          const id = DEVICES[step.index]!;
          sick.add(id);
          publish();
          later.add(step.ms, () => {
            sick.delete(id);
            publish();
          });
          break;
        }
        case 'dead':
          isDead = true;
          socket.close();
          for (const stream of streams) stream.end();
          later.add(step.ms, revive);
          break;
        case 'hanging':
          hang ??= Promise.withResolvers();
          later.add(step.ms, goOn);
      }
      return true;
    },
    end() {
      sick.clear();
      goOn();
      revive();
      publish();
    },
    differences() {
      const { status } = (kube.objects.get(resources.nodes, 'node1') as Node | undefined) ?? {};
      const shown = String(status?.allocatable?.[DEVICE_RESOURCE]);
      return shown === String(DEVICES.length)
        ? []
        : [`${shown} devices are allocatable, and the plugin has ${String(DEVICES.length)}`];
    },
  };
}
