import type { VolumeHost, VolumePluginSet } from '@rxlet/agent-api/volumes';
import { type Clock, onAbort, seededRandom, sleep } from '@rxlet/component-base';
import { createEventLog } from '@rxlet/component-base/events';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import type { ConfigMap, PersistentVolume, Pod, Volume } from '@rxlet/kube-api';
import type { DirectoryHandle, NodeFiles } from '@rxlet/node-files';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import { NEVER } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { memoryVolumes } from './memory-volumes.ts';
import { createVolumeManager } from './volume-manager.ts';

const { signal } = new AbortController();

interface BenchOptions {
  readonly files: (clock: Clock, files: NodeFiles) => NodeFiles;
  readonly plugins: readonly VolumePluginSet[];
}

function createBench({ files: replacement, plugins = [] }: Partial<BenchOptions> = {}) {
  const clock = createVirtualClock();
  const memory = createMemoryFiles();
  const options = memoryVolumes(memory);
  const logger = recordingLogger();
  const events = createEventLog(clock);
  const configMaps = new Map<string, ConfigMap>();
  const objects = {
    configMap: async (_pod: Pod, name: string) => configMaps.get(name),
    secret: async () => undefined,
    changes$: NEVER,
  };
  const { nodeFiles: files, hostFiles } = memory;
  const claimed: { volume?: PersistentVolume } = {};
  const persistentVolumes = {
    claim: async () => ({ metadata: { uid: 'c' }, spec: { volumeName: 'pv1' }, status: { phase: 'Bound' as const } }),
    volume: async () => claimed.volume ?? Promise.reject(new Error('not found')),
  };
  const manager = createVolumeManager(
    {
      persistentVolumes,
      ...options,
      plugins: () => plugins,
      files: replacement?.(clock, files) ?? files,
      hostFiles,
      clock,
      events,
      logger,
      random: seededRandom(1),
      sources: { objects, allocatable: () => ({ memory: '1Gi' }) },
    },
    { rootDirectory: '/root' },
  );
  const seen: string[] = [];
  events.events$.subscribe(({ reason, message }) => {
    seen.push(`${String(clock.monotonicNow() - begin)} ${reason}: ${message}`);
  });
  const begin = clock.monotonicNow();
  return { clock, memory, mounter: options.mounter, logger, configMaps, claimed, manager, seen };
}

const scratch: Volume = { name: 'scratch', emptyDir: {} };
const memoryVolume: Volume = { name: 'memory', emptyDir: { medium: 'Memory' } };
const config: Volume = { name: 'config', configMap: { name: 'settings', defaultMode: 0o644 } };

function podWith(...volumes: readonly Volume[]): Pod {
  const volumeMounts = volumes.map(({ name }) => ({ name, mountPath: `/${name}` }));
  const metadata = { name: 'web', namespace: 'default', uid: 'u' };
  return { metadata, spec: { containers: [{ name: 'app', volumeMounts }], volumes: [...volumes] } };
}

function withUid({ metadata, spec }: Pod, uid: string): Pod {
  return { metadata: { ...metadata, uid }, spec: spec! };
}

/** Creates the volumes of a driver. */
function driverOf(
  refreshes: boolean,
  setUp: (call: AbortSignal, path: string, pod: Pod, host: VolumeHost) => Promise<void>,
): VolumePluginSet {
  const name = 'kubernetes.io/csi';
  const attributes = { readOnly: false, managed: true, seLinuxRelabel: false };
  return {
    sources: ['csi'],
    create: (host) => [
      {
        name,
        field: 'csi',
        mode: 'Filesystem',
        refreshes,
        volume(volume, pod) {
          const hostPath = `${host.paths.volume(pod.metadata!.uid!, name, volume.name)}/mount`;
          return { hostPath, attributes, setUp: (call) => setUp(call, hostPath, pod, host) };
        },
        tearDown: (uid, volume) => host.mounts.remove(host.paths.volume(uid, name, volume)),
      },
    ],
  };
}

/** Wraps a directory whose directories have 200 entries, which take a second each. */
function slowDirectory(
  directory: DirectoryHandle | undefined,
  clock: Clock,
  visits: string[],
  fault: { error?: Error } = {},
): DirectoryHandle | undefined {
  return (
    directory &&
    Object.assign(Object.create(directory) as DirectoryHandle, {
      async openDirectory(name: string) {
        const below = await directory.openDirectory(name);
        return (
          below &&
          Object.assign(Object.create(below) as DirectoryHandle, {
            async list() {
              visits.push(name);
              return Array.from({ length: 200 }, (_, index) => String(index));
            },
            async stat() {
              await sleep(clock, 1_000);
              if (fault.error !== undefined) throw fault.error;
              return undefined;
            },
          })
        );
      },
    })
  );
}

/** Outcome of a promise so far. */
function watch(promise: Promise<unknown>): { outcome?: string } {
  const watched: { outcome?: string } = {};
  promise.then(
    () => (watched.outcome = 'done'),
    (error: Error) => (watched.outcome = error.message),
  );
  return watched;
}

it('sets up and removes few of the many volumes of a pod at the same time', async () => {
  let running = 0;
  let most = 0;
  let ended = 0;
  const work = async (): Promise<void> => {
    most = Math.max(most, ++running);
    await sleep(bench.clock, 10);
    running -= 1;
    ended += 1;
  };
  const plugins: VolumePluginSet = {
    sources: ['csi'],
    create: (host) =>
      driverOf(false, work)
        .create(host)
        .map((plugin) => ({ ...plugin, tearDown: work })),
  };
  const bench = createBench({ plugins: [plugins] });
  const { clock, manager } = bench;
  await manager.start();
  const pod = podWith(
    ...Array.from({ length: 200 }, (_, index) => ({ name: `v${String(index)}`, csi: { driver: 'd' } })),
  );
  const prepared = watch(manager.prepare(pod, signal));
  await clock.advance(1_000);
  expect([prepared.outcome, ended, most]).toEqual(['done', 200, 32]);
  expect(manager.mountedVolumes('u').size).toBe(200);
  most = 0;
  const removed = watch(manager.tearDown('u', signal));
  await clock.advance(1_000);
  expect([removed.outcome, ended, most]).toEqual(['done', 400, 32]);
  expect(clock.pendingTimers).toBe(0);
});

describe('the preparation of volumes', () => {
  it('mounts only what containers use', async () => {
    const { manager, memory } = createBench();
    const { metadata, spec } = podWith(scratch);
    const volumes = [...spec!.volumes!, { name: 'unused', csi: { driver: 'example.com' } }];
    await manager.prepare({ metadata, spec: { ...spec!, volumes } }, signal);
    expect([...manager.mountedVolumes('u').keys()]).toEqual(['scratch']);
    expect(memory.info('/root/pods/u/volumes/kubernetes.io~empty-dir/scratch')?.kind).toBe('directory');
    expect([...manager.mountedVolumes('other').keys()]).toEqual([]);
  });

  it('is repeated with exponential back-off, and ends with the missing volumes', async () => {
    const { clock, manager, mounter, seen } = createBench();
    mounter.fault = () => {
      throw new Error('mount failed');
    };
    const prepared = watch(manager.prepare(podWith(scratch, memoryVolume), signal));
    await clock.advance(123_000);
    expect(prepared.outcome).toBe(
      'unmounted volumes=[memory], unattached volumes=[], failed to process volumes=[]: context deadline exceeded',
    );
    const message = 'FailedMount: MountVolume.SetUp failed for volume "memory" : mount failed';
    expect(seen).toEqual(
      [0, 500, 1500, 3500, 7500, 15_500, 31_500, 63_500].map((atMs) => `${String(atMs)} ${message}`),
    );
    expect([...manager.mountedVolumes('u').keys()]).toEqual(['scratch']);

    // The next sync waits for the rest of the back-off.
    mounter.fault = undefined;
    const again = watch(manager.prepare(podWith(scratch, memoryVolume), signal));
    await clock.advance(4_000);
    expect(again.outcome).toBeUndefined();
    await clock.advance(1_000);
    expect(again.outcome).toBe('done');
  });

  it('ends for a volume with more files than can be given to a group in its time', async () => {
    const visits: string[] = [];
    const { clock, memory, manager, seen } = createBench({
      plugins: [
        driverOf(false, (call, path, pod, { giveToGroup }) =>
          giveToGroup(path, { fsGroup: 1000, readOnly: false }, { pod, signal: call }),
        ),
      ],
      files: (ofBench, files) => ({
        ...files,
        openDirectory: async (path) => slowDirectory(await files.openDirectory(path), ofBench, visits),
      }),
    });
    const pod = podWith({ name: 'large', csi: { driver: 'example.com' } });
    for (const uid of ['u', 'v'])
      await memory.nodeFiles.makeDirectory(`/root/pods/${uid}/volumes/kubernetes.io~csi/large/mount`, 0o755);
    await manager.start();
    const first = watch(manager.prepare(pod, signal));
    await clock.advance(123_000);
    expect(first.outcome).toMatch(/^unmounted volumes=\[large\]/);
    await clock.advance(60_000);
    const second = watch(manager.prepare(pod, signal));
    await clock.advance(123_000);
    expect(second.outcome).toBe('done');
    expect(visits).toEqual(['mount']);
    expect(seen.at(-1)).toMatch(/VolumePermissionChangeInProgress/);

    // A volume that is unmounted is changed no longer.
    const other = watch(manager.prepare(withUid(pod, 'v'), signal));
    await clock.advance(123_000);
    expect(other.outcome).toMatch(/^unmounted/);
    const ended = watch(manager.tearDown('v', signal));
    await clock.advance(1_000);
    expect(ended.outcome).toBe('done');
    expect(clock.pendingTimers).toBe(0);
  });

  describe('gives a large local volume to a group, and', () => {
    const PATH = '/root/pods/u/volumes/kubernetes.io~local-volume/pv1';
    const SECOND_PATH = PATH.replace('/u/', '/v/');
    const { metadata, spec } = podWith({ name: 'data', persistentVolumeClaim: { claimName: 'mine' } });
    const pod: Pod = { metadata: metadata!, spec: { ...spec!, securityContext: { fsGroup: 1000 } } };

    async function createLocalBench() {
      const visits: string[] = [];
      const fault: { error?: Error } = {};
      const bench = createBench({
        files: (ofBench, files) => ({
          ...files,
          openDirectory: async (path) => slowDirectory(await files.openDirectory(path), ofBench, visits, fault),
        }),
      });
      bench.memory.putDirectory('/data', 0o755);
      const spec = { claimRef: { uid: 'c' }, local: { path: '/data' } };
      bench.claimed.volume = { metadata: { name: 'pv1' }, spec };
      await bench.manager.start();
      const prepare = (uid: string, call = signal) => watch(bench.manager.prepare(withUid(pod, uid), call));
      return { ...bench, visits, fault, prepare };
    }

    it('waits in the next sync for the change that runs', async () => {
      const { clock, memory, manager, mounter, visits, prepare } = await createLocalBench();
      const first = prepare('u');
      await clock.advance(123_000);
      expect(first.outcome).toMatch(/^unmounted volumes=\[data\]/);
      await clock.advance(10_000);
      expect(mounter.targets).toEqual([PATH]);
      const second = prepare('u');
      await clock.advance(60_000);
      expect([second.outcome, memory.info('/data')?.gid]).toEqual([undefined, 0]);
      await clock.advance(10_000);
      expect([second.outcome, memory.info('/data')?.gid]).toEqual(['done', 1000]);
      expect([visits, mounter.requests.length]).toEqual([['pv1'], 1]);
      await manager.tearDown('u', signal);
      expect(mounter.targets).toEqual([]);
    });

    it('reports a change that failed between two syncs, and repeats it', async () => {
      const { clock, mounter, seen, visits, fault, prepare } = await createLocalBench();
      prepare('u');
      await clock.advance(123_000);
      expect(mounter.targets).toEqual([PATH]);
      fault.error = new Error('EIO: i/o error');
      await clock.advance(1_000);
      delete fault.error;
      expect([visits, mounter.targets]).toEqual([['pv1'], []]);
      prepare('u');
      await clock.advance(0);
      expect(seen.at(-1)).toMatch(/FailedMount: MountVolume.SetUp failed for volume "pv1" : EIO: i\/o error/);
      await clock.advance(1_000);
      expect([visits, mounter.targets]).toEqual([['pv1', 'pv1'], [PATH]]);
    });

    it('changes it for the next pod of its directory when the change for the first has failed', async () => {
      const { clock, memory, mounter, visits, fault, prepare } = await createLocalBench();
      prepare('u');
      const second = prepare('v');
      await clock.advance(500);
      fault.error = new Error('EIO: i/o error');
      await clock.advance(500);
      delete fault.error;
      expect([visits, mounter.targets]).toEqual([['pv1', 'pv1'], [SECOND_PATH]]);
      await clock.advance(122_000);
      expect(second.outcome).toMatch(/^unmounted/);
      await clock.advance(100_000);
      expect(memory.info('/data')?.gid).toBe(1000);
    });

    it('does not use a volume that could be neither changed nor unmounted', async () => {
      const { clock, mounter, seen, visits, fault, prepare } = await createLocalBench();
      fault.error = new Error('EIO: i/o error');
      mounter.fault = (operation) => {
        if (operation === 'unmount') throw new Error('umount failed');
      };
      const prepared = prepare('u');
      await clock.advance(2_000);
      expect([mounter.targets, prepared.outcome, seen.at(-1)]).toEqual([
        [PATH],
        undefined,
        expect.stringContaining('umount failed'),
      ]);
      mounter.fault = undefined;
      delete fault.error;
      await clock.advance(20_000);
      expect([visits, mounter.targets, prepared.outcome]).toEqual([['pv1', 'pv1'], [PATH], undefined]);
    });

    it('ends with the pod, also while another one changes the same directory', async () => {
      const { clock, memory, manager, mounter, visits, prepare } = await createLocalBench();
      const first = prepare('u');
      const second = prepare('v');
      await clock.advance(123_000);
      expect([first.outcome, second.outcome]).toEqual([
        expect.stringMatching(/^unmounted/),
        expect.stringMatching(/^unmounted/),
      ]);
      for (const [uid, path] of [
        ['v', SECOND_PATH],
        ['u', PATH],
      ] as const) {
        const ended = watch(manager.tearDown(uid, signal));
        await clock.advance(1_000);
        expect([ended.outcome, memory.info(path)]).toEqual(['done', undefined]);
      }
      expect([visits, mounter.targets, clock.pendingTimers]).toEqual([['pv1'], [], 0]);
      await clock.advance(300_000);
      expect(mounter.requests).toHaveLength(1);
    });

    it('ends with the sync of a pod that terminates', async () => {
      const { clock, mounter, prepare } = await createLocalBench();
      const [stopOne, stopTwo] = [new AbortController(), new AbortController()];
      const outcomes = [prepare('u', stopOne.signal), prepare('v', stopTwo.signal)];
      await clock.advance(50_000);
      stopTwo.abort(new Error('the pod is terminating'));
      await clock.advance(0);
      expect(outcomes[1]!.outcome).toBe('the pod is terminating');
      stopOne.abort(new Error('the pod is terminating'));
      await clock.advance(1_000);
      expect([outcomes[0]!.outcome, mounter.targets]).toEqual(['the pod is terminating', []]);
    });
  });

  it('does not wait for a driver that does not answer when the containers use the volume already', async () => {
    const calls: AbortSignal[] = [];
    const { clock, manager, seen } = createBench({
      plugins: [
        driverOf(true, async (call) => {
          calls.push(call);
          if (calls.length > 1) await new Promise((_, reject) => onAbort(call, reject));
        }),
      ],
    });
    const pod = podWith({ name: 'vault', csi: { driver: 'example.com' } });
    await manager.start();
    await manager.prepare(pod, signal);
    for (let sync = 0; sync < 3; sync += 1) {
      const prepared = watch(manager.prepare(pod, signal));
      await clock.advance(10_000);
      expect(prepared.outcome).toBe('done');
    }
    expect(calls).toHaveLength(2);
    expect([...manager.mountedVolumes('u').keys()]).toEqual(['vault']);
    const ended = watch(manager.tearDown('u', signal));
    await clock.advance(0);
    expect(calls[1]!.aborted).toBe(true);
    expect(ended.outcome).toBe('done');
    expect(seen).toEqual([]);
  });

  it('ends at once when the pod terminates', async () => {
    const { clock, manager } = createBench();
    const termination = new AbortController();
    const prepared = watch(manager.prepare(podWith(config), termination.signal));
    await clock.advance(10_000);
    termination.abort(new Error('the pod terminates'));
    await clock.advance(0);
    expect(prepared.outcome).toBe('the pod terminates');
    expect(clock.pendingTimers).toBe(0);
  });

  it('waits for a volume that never answers with a bounded number of operations', async () => {
    const { clock, manager, mounter, seen } = createBench();
    mounter.fault = () => new Promise(() => undefined);
    const outcomes: string[] = [];
    for (let sync = 0; sync < 12; sync += 1) {
      const prepared = watch(manager.prepare(podWith(memoryVolume), signal));
      await clock.advance(123_000);
      outcomes.push(prepared.outcome!);
    }
    expect(new Set(outcomes)).toEqual(
      new Set([
        'unmounted volumes=[memory], unattached volumes=[], failed to process volumes=[]: context deadline exceeded',
      ]),
    );
    expect(mounter.requests).toHaveLength(1);
    expect(seen[0]).toMatch(/"memory" : earlier operations on the volume have not ended$/);
    expect(seen.length).toBeLessThan(40);
  });

  it('sets nothing up any more once it is cancelled, and its cancellation counts as no failure', async () => {
    const { clock, manager, mounter, seen } = createBench();
    const termination = new AbortController();
    const mounting = Promise.withResolvers<void>();
    mounter.fault = () => mounting.promise;
    const first = watch(manager.prepare(podWith(memoryVolume), termination.signal));
    await clock.advance(0);
    termination.abort(new Error('the pod terminates'));
    await clock.advance(0);
    expect(first.outcome).toBe('the pod terminates');
    const removal = watch(manager.tearDown('u', signal));
    await clock.advance(0);
    // It waits for the mount that is in flight.
    expect(removal.outcome).toBeUndefined();
    mounting.resolve();
    await clock.advance(0);
    expect(removal.outcome).toBe('done');
    expect([mounter.targets, seen]).toEqual([[], []]);
    mounter.fault = undefined;
    await manager.prepare(podWith(memoryVolume), signal);
    expect(mounter.targets).toHaveLength(1);
  });

  it('continues at once when an object has changed', async () => {
    const { clock, configMaps, manager } = createBench();
    const prepared = watch(manager.prepare(podWith(config), signal));
    await clock.advance(40_000);
    configMaps.set('settings', { data: { a: '1' } });
    manager.objectsChanged('u');
    await clock.advance(0);
    expect(prepared.outcome).toBe('done');
  });

  it('does not keep a running pod from its sync when new content cannot be had', async () => {
    const { clock, configMaps, manager, memory, seen } = createBench();
    configMaps.set('settings', { data: { a: '1' } });
    await manager.prepare(podWith(config), signal);
    configMaps.delete('settings');
    await manager.prepare(podWith(config), signal);
    // The back-off holds.
    await manager.prepare(podWith(config), signal);
    expect(seen).toEqual([
      '0 FailedMount: MountVolume.SetUp failed for volume "config" : configmap "settings" not found',
    ]);
    configMaps.set('settings', { data: { b: '2' } });
    await clock.advance(500);
    await manager.prepare(podWith(config), signal);
    expect(memory.text('/root/pods/u/volumes/kubernetes.io~configmap/config/b')).toBe('2');
    expect(memory.info('/root/pods/u/volumes/kubernetes.io~configmap/config/a')).toBeUndefined();
  });

  it('rejects a volume without a plugin by its name', async () => {
    const { manager } = createBench();
    await expect(manager.prepare(podWith({ name: 'data', csi: { driver: 'x' } }), signal)).rejects.toMatchObject({
      reason: 'FailedMount',
      message: expect.stringContaining('unmounted volumes=[data]') as string,
    });
  });

  it('mounts the persistent volume of a claim under its own name, and removes the mount only', async () => {
    const { manager, mounter, claimed, memory } = createBench();
    const pod = podWith({ name: 'data', persistentVolumeClaim: { claimName: 'mine' } });
    await expect(manager.prepare(pod, signal)).rejects.toThrow(
      'Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[], failed to process volumes=[data]: error processing PVC default/mine: failed to fetch PV pv1 from API server: not found',
    );
    const nfs = { server: 'fd00::1', path: '/export' };
    const metadata = { name: 'pv1', annotations: { 'pv.beta.kubernetes.io/gid': '5000' } };
    claimed.volume = { metadata, spec: { claimRef: { uid: 'c' }, nfs, mountOptions: ['vers=4.2'] } };
    await manager.prepare(pod, signal);
    const path = '/root/pods/u/volumes/kubernetes.io~nfs/pv1';
    const mounted = { hostPath: path, innerVolumeSpecName: 'pv1', group: 5000n };
    expect(manager.mountedVolumes('u').get('data')).toMatchObject(mounted);
    expect(mounter.requests).toEqual([
      { source: '[fd00::1]:/export', target: path, fsType: 'nfs', options: ['vers=4.2'] },
    ]);
    memory.put(`${path}/file`, 'on the server');
    // Looked up once.
    delete claimed.volume;
    await manager.prepare(pod, signal);
    await manager.tearDown('u', signal);
    expect(mounter.targets).toEqual([]);
    expect(manager.inspect()).toEqual({});
  });

  it('knows the group of a persistent volume that containers use as a device', async () => {
    const { manager, claimed, memory } = createBench();
    memory.putSpecial('/dev/sdz', 'block-device');
    const pod: Pod = {
      metadata: { name: 'web', namespace: 'default', uid: 'u' },
      spec: {
        containers: [{ name: 'app', volumeDevices: [{ name: 'data', devicePath: '/dev/data' }] }],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'mine' } }],
      },
    };
    const metadata = { name: 'pv1', annotations: { 'pv.beta.kubernetes.io/gid': '5000' } };
    claimed.volume = { metadata, spec: { claimRef: { uid: 'c' }, local: { path: '/dev/sdz' }, volumeMode: 'Block' } };
    await manager.prepare(pod, signal);
    expect(manager.mountedVolumes('u').get('data')?.group).toBe(5000n);
  });

  it.each([{ name: '..' }, { name: 'a/../../b' }, { name: '.' }])('rejects the volume name $name', async ({ name }) => {
    const { clock, manager, memory, seen } = createBench();
    void watch(manager.prepare(podWith({ name, emptyDir: {} }), signal));
    await clock.advance(0);
    expect(seen[0]).toContain('MountVolume.NewMounter initialization failed');
    expect(memory.paths()).toEqual([]);
  });

  it('gives files no more than permission bits', async () => {
    const { configMaps, manager, memory } = createBench();
    configMaps.set('settings', { data: { a: '1' } });
    await manager.prepare(podWith({ name: 'config', configMap: { name: 'settings', defaultMode: 0o6755 } }), signal);
    const path = '/root/pods/u/volumes/kubernetes.io~configmap/config';
    const version = (await memory.nodeFiles.list(path)).find((name) => /^\.\.\d/.test(name))!;
    expect(memory.info(`${path}/${version}/a`)?.mode).toBe(0o755);
  });

  it('names the initialization when the definition cannot be used', async () => {
    const { clock, manager, seen } = createBench();
    void watch(manager.prepare(podWith({ name: 'data', emptyDir: { medium: 'Tape' } }), signal));
    await clock.advance(0);
    expect(seen[0]).toBe(
      '0 FailedMount: MountVolume.NewMounter initialization failed for volume "data" : unknown storage medium "Tape"',
    );
  });
});

it('warns once when nothing can be mounted, as without root', async () => {
  const { manager, mounter, logger } = createBench();
  mounter.problem = () => 'the agent does not run as root';
  await manager.start();
  await manager.prepare(podWith(scratch), signal);
  expect(logger.lines.map(({ message, fields }) => [message, fields?.['cause']])).toEqual([
    ['only volumes without mounts can be set up', 'the agent does not run as root'],
  ]);
});

describe('the removal of volumes', () => {
  const known = { isKnown: () => true, mayRun: () => false };
  const gone = { isKnown: () => false, mayRun: () => false };

  it('is retried with exponential back-off after a failed teardown', async () => {
    const { clock, manager, mounter, logger } = createBench();
    await manager.prepare(podWith(scratch, memoryVolume), signal);
    let attempts = 0;
    mounter.fault = () => {
      attempts += 1;
      throw new Error('target is busy');
    };
    await expect(manager.tearDown('u', signal)).rejects.toThrow(
      'UnmountVolume.TearDown failed for volume "memory" : target is busy',
    );
    for (let second = 0; second < 60; second += 2) {
      await manager.cleanUp(known, signal);
      await clock.advance(2_000);
    }
    expect(attempts).toBe(6);
    expect(logger.lines.filter(({ message }) => message.includes('cannot remove the volumes'))).toHaveLength(1);
    mounter.fault = undefined;
    await clock.advance(120_000);
    await manager.cleanUp(known, signal);
    expect(mounter.targets).toEqual([]);
    expect(manager.inspect()).toEqual({});
  });

  it('does not wait for a file system that never answers', async () => {
    const { clock, manager, mounter, logger } = createBench();
    await manager.prepare(podWith(scratch, memoryVolume), signal);
    mounter.fault = () => new Promise(() => undefined);
    const deadline = new AbortController();
    const removal = watch(manager.tearDown('u', deadline.signal));
    await clock.advance(30_000);
    deadline.abort(new Error('no answer within 30000 ms'));
    await clock.advance(0);
    expect(removal.outcome).toBe('no answer within 30000 ms');
    const cleaned = watch(manager.cleanUp(known, signal));
    await clock.advance(30_000);
    expect(cleaned.outcome).toBe('done');
    expect(logger.lines.at(-1)?.fields?.['error']).toBe('no answer within 30000 ms');
    expect([...manager.mountedVolumes('u').keys()]).toEqual([]);
    const disposal = watch(Promise.resolve(manager[Symbol.asyncDispose]()));
    await clock.advance(5_000);
    expect(disposal.outcome).toBe('done');
  });

  it('is not delayed by the pods of an unreachable server, and does not try these again while they wait', async () => {
    const { clock, manager, memory, mounter } = createBench();
    const uidsOn = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);
    const dead = uidsOn('a-dead-', 50);
    const all = [...dead, ...uidsOn('b-healthy-', 20)];
    for (const uid of all) await manager.prepare(withUid(podWith(memoryVolume), uid), signal);
    const attempts = new Map<string, number>();
    mounter.fault = (_operation, target) => {
      const uid = target.split('/')[3]!;
      attempts.set(uid, (attempts.get(uid) ?? 0) + 1);
      return uid.includes('dead') ? new Promise(() => undefined) : undefined;
    };
    for (const uid of all) void manager.tearDown(uid, AbortSignal.abort(new Error('no time'))).catch(() => undefined);
    const round = watch(manager.cleanUp(gone, signal));
    await clock.advance(5_000);
    expect(round.outcome).toBe('done');
    expect(mounter.targets.filter((target) => target.includes('healthy'))).toEqual([]);
    // A pod that ends meanwhile, while the others still wait.
    await manager.prepare(withUid(podWith(memoryVolume), 'late'), signal);
    void manager.tearDown('late', AbortSignal.abort(new Error('no time'))).catch(() => undefined);
    await manager.cleanUp(gone, signal);
    expect(mounter.targets).toHaveLength(dead.length);
    for (let second = 0; second < 600; second += 2) {
      await manager.cleanUp(gone, signal);
      await clock.advance(2_000);
    }
    expect(dead.map((uid) => attempts.get(uid))).toEqual(dead.map(() => 1));
    expect(memory.info('/root/pods/late/volumes')).toBeUndefined();
  });

  it('leaves pods alone that are known, may run, or are being prepared', async () => {
    const { manager, mounter } = createBench();
    await manager.prepare(podWith(memoryVolume), signal);
    await manager.cleanUp(known, signal);
    await manager.cleanUp({ isKnown: () => false, mayRun: () => true }, signal);
    await manager.cleanUp(gone, signal);
    expect(mounter.targets).toHaveLength(1);
  });

  it('finds what an earlier agent mounted, sub paths included', async () => {
    const first = createBench();
    await first.manager.start();
    await first.manager.prepare(podWith(memoryVolume), signal);
    const [volume] = first.manager.mountedVolumes('u').values();
    await first.manager.makeSubPath(volume!.hostPath, 'a/b', 0o755);
    const target = await first.manager.prepareSubPath({
      podUid: 'u',
      containerName: 'app',
      mountIndex: 0,
      innerVolumeSpecName: 'memory',
      volumePath: volume!.hostPath,
      subPath: 'a/b',
    });
    expect(first.mounter.targets).toEqual([volume!.hostPath, target]);

    const { nodeFiles: files, hostFiles } = first.memory;
    const { clock, mounter } = first;
    const next = createVolumeManager(
      {
        ...memoryVolumes(first.memory),
        mounter,
        files,
        hostFiles,
        clock,
        random: seededRandom(2),
        logger: first.logger,
        events: createEventLog(clock),
        sources: { allocatable: () => ({}) },
      },
      { rootDirectory: '/root' },
    );
    await next.cleanUp(gone, signal);
    expect(mounter.targets).toEqual([]);
    expect(await files.list('/root/pods/u')).toEqual([]);
  });

  it('leaves volumes of unknown plugins, and names them', async () => {
    const { manager, memory, logger } = createBench();
    memory.put('/root/pods/old/volumes/example.com~disk/data/precious', 'x');
    await manager.cleanUp(gone, signal);
    expect(memory.text('/root/pods/old/volumes/example.com~disk/data/precious')).toBe('x');
    expect(logger.lines.at(-1)?.fields?.['error']).toBe(
      'UnmountVolume.TearDown failed for volume "data" : no volume plugin matched name: example.com/disk',
    );
  });
});

it('measures the volumes of a pod', async () => {
  const { manager, memory } = createBench();
  await manager.prepare(podWith(scratch, { name: 'host', hostPath: { path: '/data' } }), signal);
  const volume = manager.mountedVolumes('u').get('scratch');
  memory.put(`${volume!.hostPath}/a/file`, Buffer.alloc(5_000));
  expect([...(await manager.usage('u', signal))]).toEqual([['scratch', { usedBytes: 8_192, inodes: 3 }]]);
  expect([...(await manager.usage('none', signal))]).toEqual([]);
  const sources: string[] = [];
  await manager.usage('u', signal, (source) => sources.push(source));
  expect(sources).toEqual(['du']);
});

it('needs few open files for a volume in which a container nests directories', async () => {
  const { manager, memory } = createBench();
  const pod = podWith(scratch);
  await manager.prepare(pod, signal);
  const path = manager.mountedVolumes('u').get('scratch')!.hostPath;
  memory.put(`${path}${'/d'.repeat(3_000)}/file`, 'x');
  let most = 0;
  memory.fault = () => void (most = Math.max(most, memory.openHandles));
  expect((await manager.usage('u', signal)).get('scratch')?.inodes).toBeGreaterThan(500);
  expect(most).toBeLessThan(600);
});
