import type { Clock, Logger, Random } from '@rxlet/component-base';
import type { EventRecorder } from '@rxlet/component-base/events';
import type { HostFiles, NodeFiles } from '@rxlet/node-files';
import type { FileSystems } from '../block/file-systems.ts';
import type { LoopDevices } from '../block/loop-devices.ts';
import type { Mounter } from '../mount/mounter.ts';
import type { VolumeMounts } from '../mount/volume-mounts.ts';
import type { GroupChanges } from '../ownership/group-changes.ts';
import type { PayloadSources } from '../payload/payload-sources.ts';
import type { VolumePaths } from '../volume-paths.ts';
import type { HostPathMaker } from '@rxlet/agent-api/volumes';

/** Dependencies of the standard plugins. */
export interface PluginContext {
  readonly files: NodeFiles;
  readonly hostFiles: Pick<HostFiles, 'openDirectory' | 'stat'>;
  readonly hostPaths: HostPathMaker;
  /** Returns a path without links. */
  realPath(path: string): Promise<string>;
  readonly mounter: Mounter;
  readonly mounts: VolumeMounts;
  readonly loopDevices: LoopDevices;
  readonly fileSystems: FileSystems;
  readonly paths: VolumePaths;
  readonly rootDirectory: string;
  readonly groupChanges: Pick<GroupChanges, 'run'>;
  readonly sources: PayloadSources;
  /** Reports whether the kernel can keep a tmpfs out of swap. */
  supportsNoSwap(): boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly events: EventRecorder;
}
