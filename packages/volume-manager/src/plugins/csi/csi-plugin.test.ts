import { CsiCallError, type CsiNode } from '@rxlet/agent-api/plugins';
import { noopEventRecorder, seededRandom } from '@rxlet/component-base';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import type { CSIDriver, Pod } from '@rxlet/kube-api';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import { NEVER } from 'rxjs';
import { expect, it } from 'vitest';
import { memoryVolumes } from '../../memory-volumes.ts';
import { createVolumeManager } from '../../volume-manager.ts';
import { volumePaths } from '../../volume-paths.ts';
import { CSI_PLUGIN } from './csi-names.ts';
import { isRecordedElsewhere } from './recorded-volumes.ts';
import { writeVolumeData } from './volume-data.ts';

const RECORD = { driverName: 'csi.example.com', volumeHandle: 'disk-1' };

it('finds the records that an earlier agent has made of a volume for other pods', async () => {
  const { nodeFiles: files } = createMemoryFiles();
  const paths = volumePaths('/root');
  const isElsewhere = async (): Promise<boolean> => isRecordedElsewhere({ files, paths }, 'pv1', 'new');
  const record = async (uid: string, data: Readonly<Record<string, string>>): Promise<string> => {
    const directory = paths.volume(uid, CSI_PLUGIN, 'pv1');
    await files.makeDirectory(directory, 0o750);
    await writeVolumeData(files, directory, data);
    return directory;
  };
  await record('new', RECORD);
  // A volume of the pod itself, which only has the same name.
  await record('inline', { ...RECORD, volumeLifecycleMode: 'Ephemeral' });
  expect(await isElsewhere()).toBe(false);
  const directory = await record('old', RECORD);
  expect(await isElsewhere()).toBe(true);
  await files.replaceFile(`${directory}/vol_data.json`, '', 0o644);
  expect(await isElsewhere()).toBe(true);
  await files.removeTree(paths.pod('old'));
  expect(await isElsewhere()).toBe(false);
  await files.makeDirectory(paths.pluginVolumeDevices('old', CSI_PLUGIN), 0o750);
  await files.symlink('/dev/sda', paths.volumeDevice('old', CSI_PLUGIN, 'pv1'));
  expect(await isElsewhere()).toBe(true);
});

it('removes a volume whose record was being written when the agent was killed', async () => {
  const clock = createVirtualClock();
  const memory = createMemoryFiles();
  const { nodeFiles: files, hostFiles } = memory;
  const directory = '/root/pods/u/volumes/kubernetes.io~csi/pv1';
  await files.makeDirectory(directory, 0o750);
  await files.writeFile(`${directory}/vol_data.json.tmp`, '{"driver', 0o644);
  const csiDrivers = {
    node: () => expect.unreachable('no call has been made for the volume'),
    configured: () => undefined,
    registered$: NEVER,
  };
  await using manager = createVolumeManager(
    {
      ...memoryVolumes(memory),
      files,
      hostFiles,
      clock,
      csiDrivers,
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
  await using manager = createVolumeManager(
    {
      ...memoryVolumes(memory),
      files,
      hostFiles,
      clock,
      csiDrivers: { node: () => node as CsiNode, configured: () => driver, registered$: NEVER },
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
