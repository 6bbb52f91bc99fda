import type { Clock, KeyedExecutor, Lifetime, Logger, Random } from '@rxlet/component-base';
import type { HostFiles, NodeFiles } from '@rxlet/node-files';
import type { Containers } from './engine/containers.ts';
import type { ContainerCreator } from './engine/create-container.ts';
import type { DaemonFacts } from './engine/daemon-facts.ts';
import type { DockerEngine } from './engine/docker-engine.ts';
import type { HostAccess } from './host-access.ts';
import type { Images } from './image/images.ts';
import type { Pulls } from './image/pulls.ts';
import type { ContainerLogs } from './logs/container-logs.ts';
import type { CheckpointStore } from './sandbox/checkpoint-store.ts';
import type { PodNetwork } from './sandbox/pod-network.ts';
import type { SandboxAddresses } from './sandbox/sandbox-view.ts';
import type { StraySandboxes } from './sandbox/stray-sandboxes.ts';

/** Parts that the handlers of RPCs share. */
export interface Backend {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly engine: DockerEngine;
  readonly containers: Containers;
  readonly creator: ContainerCreator;
  readonly images: Images;
  readonly pulls: Pulls;
  readonly facts: DaemonFacts;
  readonly network: PodNetwork;
  readonly addresses: SandboxAddresses;
  readonly checkpoints: CheckpointStore;
  readonly logs: ContainerLogs;
  readonly host: HostAccess;
  readonly hostFiles: HostFiles;
  /** Opens files below directories; for those of Docker. */
  readonly filesBelow: (root: string) => NodeFiles;
  /** One change at a time for each sandbox. */
  readonly sandboxQueue: KeyedExecutor;
  readonly straySandboxes: StraySandboxes;
  readonly lifetime: Lifetime;
  readonly sandboxImage: string;
  readonly progressDeadlineMs: number;
  /** Returns the smallest OOM score adjustment that Docker may set. */
  readonly minOomScoreAdj: () => Promise<number>;
}
