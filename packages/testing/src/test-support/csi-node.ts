import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { provide } from '@rxlet/agent-api';
import { podObjects } from '@rxlet/agent-api/kube';
import { type PersistentVolumes, persistentVolumes } from '@rxlet/agent-api/volumes';
import { sleep, systemClock } from '@rxlet/component-base';
import { csi, type CsiObjects } from '@rxlet/csi';
import { createTestDriver, type TestDriverOptions } from '@rxlet/csi/testing';
import type {
  CSIDriver,
  CSIPersistentVolumeSource,
  PersistentVolumeClaim,
  PersistentVolumeClaimStatus,
  PersistentVolumeSpec,
  Pod,
  PodSpec,
  Secret,
  Volume,
} from '@rxlet/kube-api';
import { createSocketTransport, nodePlugins, type Transport } from '@rxlet/node-plugins';
import { manifestPod } from '@rxlet/pod-model/testing';
import { NEVER } from 'rxjs';
import { contributing } from '../test-modules.ts';
import { createTestNode } from '../test-node.ts';
import { createDriverMounts } from './driver-mounts.ts';

/** Name of the driver of a {@link CsiTestNode}. */
export const CSI_DRIVER = 'csi.example.com';
const SOCKET = `/root/plugins_registry/${CSI_DRIVER}-reg.sock`;

/** Objects that the API server has for CSI volumes. */
export interface CsiTestObjects {
  readonly drivers: Map<string, CSIDriver>;
  readonly secrets: Map<string, Secret>;
  /** Sources of persistent volumes by name. The claim `<claim>` is bound to the volume `pv-<claim>`. */
  readonly volumes: Map<string, CSIPersistentVolumeSource>;
  /** Further fields of persistent volumes by name. */
  readonly specs: Map<string, PersistentVolumeSpec>;
  /** Further fields of the status of claims by name; patches of the agent are merged into them. */
  readonly statuses: Map<string, PersistentVolumeClaimStatus>;
  /** Patches of the statuses of claims so far. */
  readonly patches: object[];
}

/** A node with CSI drivers behind real sockets, while its files and mounts are in memory. */
export type CsiTestNode = Awaited<ReturnType<typeof createCsiNode>>;

/** Creates a {@link CsiTestNode}; the clean-ups must run in order after the test. */
export async function createCsiNode(cleanUps: (() => Promise<void>)[]) {
  const directory = await mkdtemp(join(tmpdir(), 'csi-'));
  const node = createTestNode();
  cleanUps.push(async () => {
    await node.expectNoLeaks();
    await node[Symbol.asyncDispose]();
    await rm(directory, { recursive: true });
  });
  const overSocket = createSocketTransport();
  let inFlight = 0;
  const transport: Transport = async (socketPath, ...call) => {
    inFlight += 1;
    try {
      return await overSocket(join(directory, basename(socketPath)), ...call);
    } finally {
      inFlight -= 1;
    }
  };
  const mounts = createDriverMounts(node);
  const startDriver = async (options: Partial<TestDriverOptions> = {}) => {
    const driver = createTestDriver({ name: CSI_DRIVER, mounts, ...options });
    await driver.listen(join(directory, basename(SOCKET)));
    node.files.putSpecial(SOCKET, 'socket');
    const stop = async (): Promise<void> => {
      if (node.files.info(SOCKET) !== undefined) node.files.remove(SOCKET);
      await driver[Symbol.asyncDispose]();
    };
    cleanUps.unshift(stop);
    return { driver, stop, methods: () => driver.calls.map(({ method }) => method) };
  };
  const api: CsiTestObjects = {
    drivers: new Map(),
    secrets: new Map(),
    volumes: new Map(),
    specs: new Map(),
    statuses: new Map(),
    patches: [],
  };
  const volumeLifecycleModes = ['Ephemeral', 'Persistent'];
  api.drivers.set(CSI_DRIVER, csiDriverObject({ volumeLifecycleModes, podInfoOnMount: true }));
  const cluster = contributing(
    {
      services: [
        provide(podObjects, {
          configMap: async () => undefined,
          secret: async (pod, name) => api.secrets.get(`${pod.metadata?.namespace ?? ''}/${name}`),
          changes$: NEVER,
        }),
        provide(persistentVolumes, claimsOf(api)),
      ],
    },
    'api objects',
  );
  return {
    node,
    api,
    startDriver,
    start: () =>
      node.start({ modules: [cluster, nodePlugins({ transport }), csi({ transport, objects: objectsOf(api) })] }),
    /** Moves the clock while no more calls than the hung ones are on their way over a real socket. */
    async until(condition: () => boolean, hung = 0): Promise<void> {
      for (let step = 0; step < 3_000; step += 1) {
        if (condition()) return;
        while (inFlight > hung) await sleep(systemClock, 1);
        await node.advance(100);
      }
      throw new Error('the condition was not reached within five minutes');
    },
    /** Reports whether nothing is left of a pod. */
    isGone: (name: string) => node.files.info(`/root/pods/${uidOf(name)}`) === undefined,
    /** Returns the messages of the events with a reason. */
    messages: (reason: string) =>
      node
        .agent()
        .events.list()
        .filter((event) => event.reason === reason)
        .map(({ message }) => message),
  };
}

/** Returns the object of the driver, whose volumes need no attachment. */
export function csiDriverObject(spec: CSIDriver['spec']): CSIDriver {
  return { metadata: { name: CSI_DRIVER }, spec: { attachRequired: false, ...spec } };
}

/** Returns a pod with a volume, which its container mounts at `/data`. */
export function csiPodWith(name: string, volume: Omit<Volume, 'name'>, spec: Partial<PodSpec> = {}): Pod {
  const containers = [{ name: 'app', image: 'app:1', volumeMounts: [{ name: 'data', mountPath: '/data' }] }];
  return manifestPod(name, { containers, volumes: [{ name: 'data', ...volume }], ...spec });
}

/** Returns an inline volume of the driver. */
export function inlineCsi(fields: Partial<NonNullable<Volume['csi']>> = {}): Omit<Volume, 'name'> {
  return { csi: { driver: CSI_DRIVER, volumeAttributes: { size: '1Gi' }, ...fields } };
}

/** Returns the UID of a pod of {@link csiPodWith}. */
export function uidOf(name: string): string {
  return `uid-${name}-1`;
}

/** Returns the directory of a pod's volume. */
export function csiDirectoryOf(name: string, volume = 'data'): string {
  return `/root/pods/${uidOf(name)}/volumes/kubernetes.io~csi/${volume}`;
}

function objectsOf({ drivers, secrets }: CsiTestObjects): CsiObjects {
  return {
    driver: async (name) => drivers.get(name),
    secret: async (namespace, name) => secrets.get(`${namespace}/${name}`),
    attachment: async () => Promise.reject(new Error('volumeattachments.storage.k8s.io not found')),
  };
}

/** Each claim is bound to the volume `pv-<claim>`. */
function claimsOf({ volumes, specs, statuses, patches }: CsiTestObjects): PersistentVolumes {
  const claim = (namespace: string, name: string): PersistentVolumeClaim => ({
    metadata: { namespace, name, uid: `uid-${name}`, resourceVersion: String(patches.length + 1) },
    spec: { volumeName: `pv-${name}` },
    status: { phase: 'Bound', ...statuses.get(name) },
  });
  return {
    claim: async (namespace, name) => claim(namespace, name),
    async volume(name) {
      const source = volumes.get(name);
      const claimRef = { uid: `uid-${name.slice('pv-'.length)}` };
      const bound: PersistentVolumeSpec = { ...(source && { csi: source }), claimRef, accessModes: ['ReadWriteOnce'] };
      return { metadata: { name }, spec: { ...bound, ...specs.get(name) } };
    },
    async patchClaimStatus(namespace, name, patch) {
      patches.push(patch);
      const { status } = patch as { status: PersistentVolumeClaimStatus };
      statuses.set(name, { ...statuses.get(name), ...withoutNulls(status) });
      return claim(namespace, name);
    },
  };
}

function withoutNulls(status: PersistentVolumeClaimStatus): PersistentVolumeClaimStatus {
  return Object.fromEntries(Object.entries(status).map(([key, value]) => [key, (value as unknown) ?? undefined]));
}
