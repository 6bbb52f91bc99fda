import { noopEventRecorder, seededRandom } from '@rxlet/component-base';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import { NEVER } from 'rxjs';
import { expect, it } from 'vitest';
import { memoryVolumes } from '../../memory-volumes.ts';
import { createVolumeManager } from '../../volume-manager.ts';

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
