import { CsiCallError, type CsiNode, type CsiStageRequest } from '../csi-drivers.ts';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import { describe, expect, it } from 'vitest';
import { createTestHost } from '../test-support.ts';
import { CSI_PLUGIN } from './csi-names.ts';
import { createCsiStaging } from './csi-staging.ts';
import { writeVolumeData } from './volume-data.ts';

const { signal } = new AbortController();
const DRIVER = 'csi.example.com';
const HANDLE = 'disk-1';

async function createBench() {
  const memory = createMemoryFiles();
  const { nodeFiles: files } = memory;
  const rootDirectory = '/root';
  const { paths, mounts } = createTestHost(files, rootDirectory);
  await files.makeDirectory(paths.pods, 0o750);
  const staging = createCsiStaging({ files, mounts, paths, rootDirectory });
  const target = staging.path(DRIVER, HANDLE);
  const calls: string[] = [];
  const state: { failure?: Error | undefined } = {};
  const answer = (call: string): void => {
    calls.push(call);
    if (state.failure !== undefined) throw state.failure;
  };
  const node: Pick<CsiNode, 'capabilities' | 'stageVolume' | 'unstageVolume'> = {
    capabilities: async () => new Set(['STAGE_UNSTAGE_VOLUME' as const]),
    async stageVolume() {
      if ((await mounts.at(target)) === undefined)
        await mounts.mount({ source: 'disk', target, fsType: 'ext4', options: [] });
      answer('stage');
    },
    async unstageVolume() {
      answer('unstage');
      await mounts.unmountAll(target);
    },
  };
  const request: CsiStageRequest = {
    volumeId: HANDLE,
    stagingTargetPath: target,
    volumeContext: {},
    secrets: {},
    fsType: 'ext4',
    mountFlags: [],
    accessMode: 'SINGLE_NODE_WRITER',
  };
  const recordOf = async (podUid: string, name: string): Promise<string> => {
    const directory = paths.volume(podUid, CSI_PLUGIN, name);
    await files.makeDirectory(directory, 0o750);
    await writeVolumeData(files, directory, { driverName: DRIVER, volumeHandle: HANDLE });
    return directory;
  };
  return {
    files,
    staging,
    calls,
    state,
    recordOf,
    stage: async () => staging.stage(node as CsiNode, DRIVER, request, signal),
    unstage: async (user: string) =>
      staging.unstage(node as CsiNode, { driverName: DRIVER, volumeHandle: HANDLE }, user, async () => undefined),
  };
}

describe('createCsiStaging', () => {
  it('stages a volume once for all pods', async () => {
    const { stage, calls } = await createBench();
    await stage();
    await stage();
    expect(calls).toEqual(['stage']);
  });

  it('calls the driver again after it has failed with the volume mounted already', async () => {
    const { stage, calls, state } = await createBench();
    state.failure = new CsiCallError('DeadlineExceeded', 'the file system is still being resized');
    await expect(stage()).rejects.toThrow('still being resized');
    // The driver has not finished: a pod must not get the volume.
    await expect(stage()).rejects.toThrow('still being resized');
    state.failure = undefined;
    await stage();
    expect(calls).toEqual(['stage', 'stage', 'stage']);
  });

  it('stages a volume again whose unstaging has failed', async () => {
    const { stage, unstage, recordOf, calls, state } = await createBench();
    const user = await recordOf('u1', 'pv1');
    await stage();
    state.failure = new CsiCallError('DeadlineExceeded', 'the server does not answer');
    await expect(unstage(user)).rejects.toThrow('does not answer');
    state.failure = undefined;
    await stage();
    expect(calls).toEqual(['stage', 'unstage', 'stage']);
  });

  it('unstages a volume also while the record of another volume is damaged', async () => {
    const { stage, unstage, recordOf, files, calls } = await createBench();
    const user = await recordOf('u1', 'pv1');
    await files.replaceFile(`${await recordOf('u2', 'pv2')}/vol_data.json`, '', 0o644);
    await stage();
    await unstage(user);
    expect(calls).toEqual(['stage', 'unstage']);
  });

  it('keeps a volume staged while the record of another pod that uses it is damaged', async () => {
    const { stage, unstage, recordOf, files, calls } = await createBench();
    const user = await recordOf('u1', 'pv1');
    await files.replaceFile(`${await recordOf('u2', 'pv1')}/vol_data.json`, '', 0o644);
    await stage();
    await unstage(user);
    expect(calls).toEqual(['stage']);
  });
});
