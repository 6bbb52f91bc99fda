import { reconfiguration, reconfigurations } from '@rxlet/agent-api/configuration';
import { type AgentModule, contribute, type DebugSection, debugSections, provide } from '@rxlet/agent-api';
import {
  imageEnsurer,
  type ImagePull,
  type ImagePulls,
  imagePulls,
  imageReclaimer,
  pullCredentials,
  pullObserver,
  pullProgressSource,
} from '@rxlet/agent-api/images';
import type { Clock } from '@rxlet/component-base';
import { nodeFsStats, type ReadFsStats } from './gc/fs-stats.ts';
import { createImageGarbageCollector, type ImageGcOptions } from './gc/image-garbage-collector.ts';
import { createImageHolds } from './image-holds.ts';
import { createImageManager, type ImageManagerOptions } from './image-manager.ts';
import { createPullRecords, type PullRecordsOptions } from './records/pull-records.ts';

/** Options of {@link imageManagement}. */
export interface ImageManagementOptions extends ImageManagerOptions, Omit<PullRecordsOptions, 'directory'> {
  readonly garbageCollection?: Omit<ImageGcOptions, 'nodeName'>;
  /** Reads the size of the disk that holds the images. Default: from this machine. */
  readonly readFsStats?: ReadFsStats;
}

/**
 * Creates the agent module that pulls the images of pods and removes unused ones. Pull records are kept in `image_manager` below the agent's root directory.
 *
 * @throws RangeError or VerificationPolicyError at set-up, for options that contradict each other
 */
export function imageManagement(options: ImageManagementOptions = {}): AgentModule {
  return {
    name: 'image-management',
    uses: [pullCredentials, pullObserver, pullProgressSource],
    provides: [imageEnsurer, imageReclaimer, imagePulls],
    setup({ services, files, node, ...base }) {
      const { readFsStats = nodeFsStats, garbageCollection } = options;
      const holds = createImageHolds(base.clock);
      const directory = `${node.rootDirectory}/image_manager`;
      const records = createPullRecords({ ...base, files }, { ...options, directory });
      const collector = createImageGarbageCollector(
        { ...base, readFsStats, holds, records },
        { ...garbageCollection, nodeName: node.name },
      );
      const credentials = services.find(pullCredentials);
      const observer = services.find(pullObserver);
      const pullProgress = services.find(pullProgressSource);
      const manager = createImageManager(
        { ...base, credentials, records, holds, pullObserver: observer, pullProgress },
        options,
      );
      return {
        services: [provide(imageEnsurer, manager), provide(imageReclaimer, collector), provide(imagePulls, manager)],
        contributions: [
          contribute(debugSections, pullsSection(base.clock, manager.pulls)),
          contribute(
            reconfigurations,
            reconfiguration('image-management', (next: ImageManagementOptions) =>
              collector.configure(next.garbageCollection ?? {}),
            ),
          ),
        ],
        start: () => collector.start(),
        async [Symbol.asyncDispose]() {
          await collector[Symbol.asyncDispose]();
          await manager[Symbol.asyncDispose]();
        },
      };
    },
  };
}

function pullsSection(clock: Clock, pulls: ImagePulls['pulls']): DebugSection {
  const summary = (phase: ImagePull['phase']) => {
    const agesMs = pulls.value.filter((pull) => pull.phase === phase).map(({ sinceMs }) => clock.now() - sinceMs);
    return { depth: agesMs.length, oldestAgeMs: Math.max(0, ...agesMs) };
  };
  return {
    name: 'imagePulls',
    inspect: () => ({
      queued: summary('queued'),
      running: summary('pulling'),
      pulls: pulls.value.map((pull) => ({ ...pull, ageMs: clock.now() - pull.sinceMs })),
    }),
  };
}
