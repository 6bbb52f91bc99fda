import { createPleg } from '@rxlet/pleg';
import { createPodConfig } from '@rxlet/pod-config';
import { createPodWorkers } from '@rxlet/pod-workers';
import { createRuntimeManager } from '@rxlet/runtime-manager';
import { createStatusManager } from '@rxlet/status-manager';
import { createRuntimeState } from './core/runtime-state.ts';
import { createPodSyncer } from './pod-syncer/pod-syncer.ts';
import { createSyncLoop } from './sync-loop/sync-loop.ts';

/**
 * Factories of the core's parts. A function of your own replaces a part; it gets the arguments of the default factory, and may wrap it:
 * `{ createPleg: (ports, options) => createPleg(ports, { ...options, relistPeriodMs: 100 }) }`. Collections in its ports fill while modules are set up.
 */
export interface AgentParts {
  readonly createPodConfig: typeof createPodConfig;
  readonly createRuntimeState: typeof createRuntimeState;
  readonly createPleg: typeof createPleg;
  readonly createRuntimeManager: typeof createRuntimeManager;
  readonly createStatusManager: typeof createStatusManager;
  readonly createPodSyncer: typeof createPodSyncer;
  readonly createPodWorkers: typeof createPodWorkers;
  readonly createSyncLoop: typeof createSyncLoop;
}

/** The parts of the core by default. */
export const defaultParts: AgentParts = {
  createPodConfig,
  createRuntimeState,
  createPleg,
  createRuntimeManager,
  createStatusManager,
  createPodSyncer,
  createPodWorkers,
  createSyncLoop,
};
