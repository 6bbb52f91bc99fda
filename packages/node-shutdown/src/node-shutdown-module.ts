import { join } from 'node:path';
import { admissionHandlers, type AgentModule, contribute, debugSections } from '@rxlet/agent-api';
import { podEvictors } from '@rxlet/agent-api/statuses';
import { nodeStatusSetters } from '@rxlet/agent-api/node';
import { podVolumes } from '@rxlet/agent-api/volumes';
import { isTerminalPhase, podUid } from '@rxlet/pod-model';
import { distinctUntilChanged, skip } from 'rxjs';
import type { Logind } from './logind/logind.ts';
import { createNodeShutdown } from './node-shutdown.ts';
import { type ShutdownGracePeriods, shutdownGroups } from './plan/shutdown-groups.ts';
import { formatShutdownState, readShutdownState, STATE_FILE } from './shutdown-state.ts';
import { SHUTTING_DOWN, shutdownFailure, shutdownRejection } from './shutdown-status.ts';

/** Options of {@link nodeShutdown}. */
export interface NodeShutdownModuleOptions extends ShutdownGracePeriods {
  /** Default: that of this machine, found by its system bus. */
  readonly logind?: Logind | undefined;
}

const BOOT_ID = '/proc/sys/kernel/random/boot_id';

/**
 * Creates the agent module that delays shutdowns of the node until its pods have ended, in the order of their priorities (kubelet: graceful node shutdown).
 * Without a configured grace period it does nothing.
 */
export function nodeShutdown(options: NodeShutdownModuleOptions = {}): AgentModule {
  const groups = shutdownGroups(options);
  return {
    name: 'node-shutdown',
    uses: [podVolumes],
    setup({ core, services, files, hostFiles, node, ...ports }) {
      if (groups.length === 0) return undefined;
      const volumes = services.find(podVolumes);
      const path = join(node.rootDirectory, STATE_FILE);
      const shutdown = createNodeShutdown(
        {
          ...ports,
          core,
          logind: options.logind ?? {
            async connect(observer, signal) {
              const { createSystemLogind } = await import('./logind/system-logind.ts');
              return createSystemLogind({ clock: ports.clock }).connect(observer, signal);
            },
          },
          hasVolumes: (uid) => (volumes?.mountedVolumes(uid).size ?? 0) > 0,
          async bootId() {
            const file = await hostFiles.read(BOOT_ID, 100).catch(() => undefined);
            return file && Buffer.from(file.bytes).toString().trim();
          },
          state: {
            load: () => readShutdownState(files, path),
            save: (state) => files.replaceFile(path, formatShutdownState(state), 0o644),
          },
        },
        { nodeName: node.name, groups },
      );
      const hasRunningContainer = (uid: string): boolean =>
        core.runtimeStatus(uid).containers.some(({ state }) => state === 'running');
      return {
        start: () => shutdown.start(),
        contributions: [
          contribute(admissionHandlers, {
            name: 'node-shutdown',
            // After a restart of the agent, pods that run end in their turn.
            admit: ({ metadata }) =>
              !shutdown.isShuttingDown.value ||
              hasRunningContainer(metadata?.uid ?? '') ||
              shutdown.wasTerminating(metadata?.uid ?? '')
                ? undefined
                : shutdownRejection,
          }),
          contribute(podEvictors, {
            name: 'node-shutdown',
            // What still runs of a pod ends in its turn; what has ended while the agent was away must not start again.
            shouldEvict: (pod, { phase }) =>
              shutdown.wasTerminating(podUid(pod)) && !isTerminalPhase(phase) && !hasRunningContainer(podUid(pod))
                ? shutdownFailure
                : undefined,
          }),
          contribute(nodeStatusSetters, {
            name: 'node-shutdown',
            changes$: shutdown.isShuttingDown.value$.pipe(skip(1), distinctUntilChanged()),
            contribute: () => (shutdown.isShuttingDown.value ? { notReady: SHUTTING_DOWN } : {}),
          }),
          contribute(debugSections, { name: 'nodeShutdown', inspect: () => shutdown.inspect() }),
        ],
        [Symbol.asyncDispose]: () => shutdown[Symbol.asyncDispose](),
      };
    },
  };
}
