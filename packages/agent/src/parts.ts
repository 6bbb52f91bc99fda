import { createCredentialSource, createImageGarbageCollector, createImageManager } from '@rxlet/image-manager';
import { createLifecycleHooks } from '@rxlet/lifecycle';
import { createPleg } from '@rxlet/pleg';
import { createPodConfig } from '@rxlet/pod-source';
import { createPodWorkers } from '@rxlet/pod-workers';
import { createProber, createProbeRunner } from '@rxlet/prober';
import { createContainerLogRotator, createRuntimeManager } from '@rxlet/runtime-manager';
import { createStatusManager } from '@rxlet/status-manager';

/**
 * How each part of an agent is made. Give your own function for a part to replace it; it gets what the default one would get, and may wrap that:
 * `{ createPleg: (ports, options) => createPleg(ports, { ...options, relistPeriodMs: 100 }) }`.
 */
export interface AgentParts {
  readonly createPodConfig: typeof createPodConfig;
  readonly createPleg: typeof createPleg;
  readonly createCredentialSource: typeof createCredentialSource;
  readonly createImageManager: typeof createImageManager;
  readonly createImageGarbageCollector: typeof createImageGarbageCollector;
  readonly createLifecycleHooks: typeof createLifecycleHooks;
  readonly createRuntimeManager: typeof createRuntimeManager;
  readonly createContainerLogRotator: typeof createContainerLogRotator;
  readonly createStatusManager: typeof createStatusManager;
  readonly createProbeRunner: typeof createProbeRunner;
  readonly createProber: typeof createProber;
  readonly createPodWorkers: typeof createPodWorkers;
}

/** The parts as rxlet has them. */
export const defaultParts: AgentParts = {
  createPodConfig,
  createPleg,
  createCredentialSource,
  createImageManager,
  createImageGarbageCollector,
  createLifecycleHooks,
  createRuntimeManager,
  createContainerLogRotator,
  createStatusManager,
  createProbeRunner,
  createProber,
  createPodWorkers,
};
