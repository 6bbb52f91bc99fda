import type { Clock, EventRecorder, Lifetime, Logger, Metrics } from '@rxlet/component-base';
import type { ImageService, RuntimeService } from '@rxlet/cri-api';
import {
  createImageHolds,
  createPullRecords,
  type CredentialSourceOptions,
  type CredentialSourcePorts,
  type ImageGarbageCollector,
  type ImageGcOptions,
  type ImageManager,
  type ImageManagerOptions,
  nodeConfigFiles,
  nodeFsStats,
  type PullObserver,
  type PullRecordsOptions,
  type ReadFsStats,
} from '@rxlet/image-manager';
import type { FileSystem } from '@rxlet/runtime-manager';
import type { AgentParts } from '../parts.ts';
import { recordDirectories } from './record-directories.ts';

/** Where images come from and lie, as far as it may differ from a node's own disks and files. */
export interface AgentImagePorts {
  /** Where credentials come from. Default: the node's docker config file. */
  readonly credentials?: Pick<CredentialSourcePorts, 'secrets' | 'files' | 'processes' | 'serviceAccountTokens'>;
  /** The size of the disk of images. Default: that of this machine's. */
  readonly readFsStats?: ReadFsStats;
}

/** How an agent gets, guards and removes images. */
export interface AgentImageOptions extends ImageManagerOptions, PullRecordsOptions {
  readonly credentials?: CredentialSourceOptions;
  readonly garbageCollection?: Omit<ImageGcOptions, 'nodeName'>;
}

/** What they stand on besides. */
export interface ImagesBase {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly events: EventRecorder;
  readonly runtime: RuntimeService;
  readonly images: ImageService;
  readonly nodeName: string;
  readonly rootDirectory: string;
  readonly files: FileSystem;
  readonly pullObserver: PullObserver;
  readonly lifetime: Lifetime;
}

/** Joins the image manager with what it shares with the collector of unused images: who pulled what, and what is about to be used. */
export function assembleImages(
  base: ImagesBase,
  ports: AgentImagePorts,
  options: AgentImageOptions,
  make: Pick<AgentParts, 'createCredentialSource' | 'createImageManager' | 'createImageGarbageCollector'>,
): { readonly imageManager: ImageManager; readonly imageGc: ImageGarbageCollector } {
  const { clock, logger, metrics, events, nodeName, rootDirectory, files, lifetime } = base;
  const own = <T extends AsyncDisposable>(part: T): T => {
    lifetime.defer(() => part[Symbol.asyncDispose]());
    return part;
  };
  const { readFsStats = nodeFsStats } = ports;
  const holds = createImageHolds(clock);
  const directories = recordDirectories(files, rootDirectory);
  const records = createPullRecords({ ...base, directories }, options);
  const credentials = own(
    make.createCredentialSource(
      { clock, logger, metrics, events, files: nodeConfigFiles, ...ports.credentials },
      options.credentials,
    ),
  );
  const imageManager = own(make.createImageManager({ ...base, credentials, records, holds }, options));
  const imageGc = own(
    make.createImageGarbageCollector(
      { ...base, readFsStats, holds, records },
      { ...options.garbageCollection, nodeName },
    ),
  );
  return { imageManager, imageGc };
}
