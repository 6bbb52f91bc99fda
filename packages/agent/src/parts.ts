import { createImageManager } from '@rxlet/image-manager';
import { createPleg } from '@rxlet/pleg';
import { createPodConfig } from '@rxlet/pod-source';
import { createPodWorkers } from '@rxlet/pod-workers';
import { createRuntimeManager } from '@rxlet/runtime-manager';
import { createStatusManager } from '@rxlet/status-manager';

/**
 * How each part of an agent is made. Give your own function for a part to replace it; it gets what the default one would get, and may wrap that:
 * `{ createPleg: (ports, options) => createPleg(ports, { ...options, relistPeriodMs: 100 }) }`.
 */
export interface AgentParts {
  readonly createPodConfig: typeof createPodConfig;
  readonly createPleg: typeof createPleg;
  readonly createImageManager: typeof createImageManager;
  readonly createRuntimeManager: typeof createRuntimeManager;
  readonly createStatusManager: typeof createStatusManager;
  readonly createPodWorkers: typeof createPodWorkers;
}

/** The parts as rxlet has them. */
export const defaultParts: AgentParts = {
  createPodConfig,
  createPleg,
  createImageManager,
  createRuntimeManager,
  createStatusManager,
  createPodWorkers,
};
