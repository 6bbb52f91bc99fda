import { onAbort, sleep } from '@rxlet/component-base';
import { nodeShutdown } from '@rxlet/node-shutdown';
import type { FakeLogind } from '@rxlet/node-shutdown/testing';
import { SHUTDOWN_GROUPS } from '../workload/part-steps.ts';
import type { PartContext, PartKind, WorldPart } from './world-part.ts';

/** A machine that shuts down, with pods of several priorities. */
export const shutdownPart: PartKind = {
  name: 'shutdown',
  steps: 2,
  make: (choose) => ({
    do: 'shutdown',
    pauseMs: choose.integer(1, 60_000),
    ...(choose.chance(0.5) && { heldMs: choose.pick([2_000, 10_000, 20_000]) }),
    ...(choose.chance(0.3) && { cancelledMs: choose.pick([1_000, 5_000, 15_000]) }),
  }),
  // An agent that starts during a shutdown goes on with it.
  meet: (choose) =>
    choose.chance(0.3)
      ? [
          {
            atMs: choose.integer(1, 8_000),
            step: { do: 'kill', calls: 0, pauseMs: choose.integer(1, 2_000), callsOfStart: 0 },
          },
        ]
      : [],
  extras: (choose) => ({
    priority: choose.pick([0, 0, 5, 1_000, 2_000_001_000]),
    graceSeconds: choose.pick([2, 2, 8, 60]),
    ...(choose.chance(0.3) && { isStubborn: true }),
  }),
  create: createShutdowns,
};

function createShutdowns({ cluster, logind, latencyMs }: PartContext): WorldPart {
  const { clock } = cluster.node;
  return {
    name: 'shutdown',
    endReasons: ['NodeShutdown', 'Terminated'],
    modules({ signal }) {
      onAbort(signal, () => logind.disconnect());
      const connect: FakeLogind['connect'] = async (observer, stopping) => {
        if (latencyMs > 0) await sleep(clock, latencyMs, AbortSignal.any([signal, stopping]));
        return logind.connect(observer, stopping);
      };
      return [nodeShutdown({ byPodPriority: SHUTDOWN_GROUPS, logind: { connect } })];
    },
    run: () => false,
  };
}
