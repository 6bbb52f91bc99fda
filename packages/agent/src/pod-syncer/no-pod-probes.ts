import type { PodProbes } from '@rxlet/agent-api/containers';
import { NEVER } from 'rxjs';

/** Probe results of an agent without probes. */
export const noPodProbes: PodProbes = {
  livenessResults: () => new Map(),
  startupResults: () => new Map(),
  isReady: () => undefined,
  isStarted: () => undefined,
  statusSet: () => undefined,
  results$: NEVER,
};
