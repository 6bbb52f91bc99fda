import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noopLogger, systemClock, systemRandom } from '@rxlet/component-base';
import { noopEventRecorder } from '@rxlet/component-base/events';
import { recordingLogger } from '@rxlet/component-base/testing';
import { createHostFiles, createNodeFiles } from '@rxlet/node-files';
import { createFileSystemPrograms } from './block/file-system-programs.ts';
import { createLoopPrograms } from './block/loop-programs.ts';
import { createMountPrograms } from './mount/mount-programs.ts';
import { createVolumeMounts } from './mount/volume-mounts.ts';
import { createHostPathMaker } from './plugins/host-path-maker.ts';
import { createGroupChanges } from './ownership/group-changes.ts';
import type { PluginContext } from './plugins/plugin-context.ts';
import { createSubPaths, type SubPaths } from './sub-path/sub-paths.ts';
import { volumePaths } from './volume-paths.ts';

/** Whether tests may mount. */
export const isRoot = process.getuid?.() === 0;

/** A root directory on disk with real mounts. Disposal unmounts all of them. */
export interface DiskBench extends AsyncDisposable {
  readonly directory: string;
  readonly root: string;
  readonly context: PluginContext;
  readonly subPaths: SubPaths;
}

/** Creates a {@link DiskBench}. */
export async function createDiskBench(): Promise<DiskBench> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'volumes-')));
  const root = join(directory, 'root');
  const files = createNodeFiles({ roots: [root] });
  await files.makeDirectory(root, 0o755);
  const hostFiles = createHostFiles();
  const mounter = createMountPrograms({ clock: systemClock }, { timeoutMs: 10_000 });
  const mounts = createVolumeMounts({ mounter, files, rootDirectory: root, realPath: realpath });
  const paths = volumePaths(root);
  const context: PluginContext = {
    files,
    hostFiles,
    hostPaths: createHostPathMaker(),
    realPath: realpath,
    mounter,
    loopDevices: createLoopPrograms({ clock: systemClock }, { timeoutMs: 10_000 }),
    fileSystems: createFileSystemPrograms({ clock: systemClock, logger: noopLogger }),
    mounts,
    paths,
    rootDirectory: root,
    groupChanges: createGroupChanges(systemClock),
    sources: { allocatable: () => ({ memory: '64Mi' }) },
    supportsNoSwap: () => false,
    clock: systemClock,
    random: systemRandom,
    logger: recordingLogger(),
    events: noopEventRecorder,
  };
  return {
    directory,
    root,
    context,
    subPaths: createSubPaths(context),
    async [Symbol.asyncDispose]() {
      await mounts.unmountAll(root);
      await rm(directory, { recursive: true, force: true });
    },
  };
}
