import { seededRandom } from '@rxlet/component-base';
import { noopEventRecorder } from '@rxlet/component-base/events';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import { CsiCallError, type CsiNode, csiVolumes } from '@rxlet/csi';
import type { CSIDriver, Pod } from '@rxlet/kube-api';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import { createVolumeManager } from '@rxlet/volume-manager';
import { memoryVolumes } from '@rxlet/volume-manager/testing';
import { NEVER } from 'rxjs';
import { expect, it } from 'vitest';

it('removes a volume whose record was being written when the agent was killed', async () => {
  const clock = createVirtualClock();
  const memory = createMemoryFiles();
  const { nodeFiles: files, hostFiles } = memory;
  const directory = '/root/pods/u/volumes/kubernetes.io~csi/pv1';
  await files.makeDirectory(directory, 0o750);
  await files.writeFile(`${directory}/vol_data.json.tmp`, '{"driver', 0o644);
  const drivers = {
    node: () => expect.unreachable('no call has been made for the volume'),
    configured: () => undefined,
    refresh: async () => undefined,
    registered$: NEVER,
  };
  await using manager = createVolumeManager(
    {
      ...memoryVolumes(memory),
      files,
      hostFiles,
      clock,
      plugins: () => [csiVolumes({ files, rootDirectory: '/root', nodeName: 'node1', drivers })],
      random: seededRandom(1),
      logger: recordingLogger(),
      events: noopEventRecorder,
      sources: { allocatable: () => ({}) },
    },
    { rootDirectory: '/root' },
  );
  await manager.start();
  await manager.tearDown('u', new AbortController().signal);
  expect(memory.info('/root/pods/u/volumes')).toBeUndefined();
});

it('keeps a volume that is in use when its driver, which mounts nothing, fails to publish it again', async () => {
  const clock = createVirtualClock();
  const memory = createMemoryFiles();
  const { nodeFiles: files, hostFiles } = memory;
  const path = '/root/pods/u/volumes/kubernetes.io~csi/data';
  const calls: string[] = [];
  let failure: CsiCallError | undefined = new CsiCallError('InvalidArgument', 'not yet');
  const node: Partial<CsiNode> = {
    capabilities: async () => new Set(),
    publishVolume: async ({ targetPath }) => {
      calls.push('publish');
      if (failure !== undefined) throw failure;
      memory.putDirectory(targetPath);
    },
    unpublishVolume: async ({ targetPath }) => {
      calls.push('unpublish');
      memory.remove(targetPath);
    },
  };
  const driver: CSIDriver = { spec: { requiresRepublish: true, volumeLifecycleModes: ['Ephemeral'] } };
  const drivers = {
    node: () => node as CsiNode,
    configured: () => driver,
    refresh: async () => undefined,
    registered$: NEVER,
  };
  await using manager = createVolumeManager(
    {
      ...memoryVolumes(memory),
      files,
      hostFiles,
      clock,
      plugins: () => [csiVolumes({ files, rootDirectory: '/root', nodeName: 'node1', drivers })],
      random: seededRandom(1),
      logger: recordingLogger(),
      events: noopEventRecorder,
      sources: { allocatable: () => ({}) },
    },
    { rootDirectory: '/root' },
  );
  await manager.start();
  const { signal } = new AbortController();
  const pod: Pod = {
    metadata: { name: 'web', namespace: 'default', uid: 'u' },
    spec: {
      containers: [{ name: 'app', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
      volumes: [{ name: 'data', csi: { driver: 'csi.example.com' } }],
    },
  };
  const prepared = manager.prepare(pod, signal);
  await clock.advance(0);
  // A first call that fails for good leaves nothing.
  expect([calls.splice(0), memory.info(path)]).toEqual([['publish'], undefined]);
  failure = undefined;
  await clock.advance(500);
  await prepared;
  failure = new CsiCallError('InvalidArgument', 'the token has expired');
  await manager.prepare(pod, signal);
  expect(calls.splice(0)).toEqual(['publish', 'publish']);
  expect([memory.info(`${path}/mount`)?.kind, memory.info(`${path}/vol_data.json`)?.kind]).toEqual([
    'directory',
    'file',
  ]);
  await manager.tearDown('u', signal);
  expect([calls, memory.info('/root/pods/u/volumes')]).toEqual([['unpublish'], undefined]);
});
