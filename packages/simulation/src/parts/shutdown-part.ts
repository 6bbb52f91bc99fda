import { onAbort } from '@rxlet/component-base';
import { nodeShutdown } from '@rxlet/node-shutdown';
import { SHUTDOWN_GROUPS } from '../workload/part-steps.ts';
import type { PartContext, PartKind, WorldPart } from './world-part.ts';

/** A machine that shuts down, with pods of several priorities. */
export const shutdownPart: PartKind = {
  name: 'shutdown',
  steps: 2,
  make: (choose) => ({
    do: 'shutdown',
    pauseMs: choose.integer(1, 60_000),
    ...(choose.chance(0.3) && { cancelledMs: choose.pick([1_000, 5_000, 15_000]) }),
  }),
  extras: (choose) => ({
    priority: choose.pick([0, 0, 5, 1_000, 2_000_001_000]),
    graceSeconds: choose.pick([2, 2, 8, 60]),
    ...(choose.chance(0.3) && { isStubborn: true }),
  }),
  create: createShutdowns,
};

function createShutdowns({ logind }: PartContext): WorldPart {
  return {
    name: 'shutdown',
    endReasons: ['NodeShutdown', 'Terminated'],
    modules({ signal }) {
      onAbort(signal, () => logind.disconnect());
      return [nodeShutdown({ byPodPriority: SHUTDOWN_GROUPS, logind })];
    },
    run: () => false,
  };
}
