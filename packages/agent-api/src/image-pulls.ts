import type { CurrentValue } from '@rxlet/component-base/streams';
import type { PullProgress, PullProgressSource } from '@rxlet/cri-api/pull-progress';
import { type ServiceKey, serviceKey } from './service-key.ts';

/** Image pulls of the node. The module that pulls images provides them. */
export const imagePulls: ServiceKey<ImagePulls> = serviceKey('image pulls');

/** Pending and running image pulls, and the limits that make them wait. */
export interface ImagePulls {
  /** Pulls in order of arrival: a pending pull waits for those before it. Completes on disposal. */
  readonly pulls: CurrentValue<readonly ImagePull[]>;
  /** Whether one image is pulled at a time (KubeletConfiguration). */
  readonly serializeImagePulls: boolean;
  /** Maximum number of pulls at the same time; `Infinity`: no limit. */
  readonly maxParallelImagePulls: number;
}

/** A pending or running pull of an image, for one or more pods. */
export interface ImagePull {
  /** The image with its tag or digest. */
  readonly image: string;
  /** Whether the pull waits for its turn or runs. */
  readonly phase: 'queued' | 'pulling';
  /** Start of the phase, in epoch milliseconds. */
  readonly sinceMs: number;
  /** Position in the queue: `1` for the next pull, `0` for one that runs. */
  readonly position: number;
  /** Requests that wait for the pull, in order of arrival. */
  readonly requests: readonly ImagePullRequest[];
  /** Progress of a running pull, as last reported by the runtime. Absent for a runtime that reports none. */
  readonly progress?: PullProgress | undefined;
}

/** A request of a pod for an image. */
export interface ImagePullRequest {
  readonly podUid: string;
  /** Field path of the container, as in events: `spec.containers{web}`; empty for the image of a volume. */
  readonly fieldPath: string;
}

/** Reports the progress of image pulls in the container runtime. Without a provider, pulls show when they began and nothing else. */
export const pullProgressSource: ServiceKey<PullProgressSource> = serviceKey('pull progress source');
