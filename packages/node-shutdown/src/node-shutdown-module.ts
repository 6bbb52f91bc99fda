import { join } from 'node:path';
import { admissionHandlers, type AgentModule, contribute, debugSections } from '@rxlet/agent-api';
import { podEvictors } from '@rxlet/agent-api/statuses';
import { httpEndpoints } from '@rxlet/agent-api/http';
import { nodeStatusSetters } from '@rxlet/agent-api/node';
import { podVolumes } from '@rxlet/agent-api/volumes';
import { errorMessage } from '@rxlet/component-base';
import { isTerminalPhase, podUid } from '@rxlet/pod-model';
import { hasRunningContainer } from '@rxlet/pod-model/runtime';
import { distinctUntilChanged, skip } from 'rxjs';
import { drainEndpoint } from './drain/drain-endpoint.ts';
import type { Logind } from './logind/logind.ts';
import { createNodeShutdown } from './node-shutdown.ts';
import { type ShutdownGracePeriods, shutdownGroups } from './plan/shutdown-groups.ts';
import { formatShutdownState, readShutdownState, STATE_FILE } from './shutdown-state.ts';
import { SHUTTING_DOWN, shutdownFailure, shutdownRejection } from './shutdown-status.ts';

/** Options of {@link nodeShutdown}. */
export interface NodeShutdownModuleOptions extends ShutdownGracePeriods {
  /** Default: that of this machine, found by its system bus. */
  readonly logind?: Logind | undefined;
  /** Subscribes to requests to drain the node, such as a signal to the process. Default: none but those of the endpoint `/drain`. */
  readonly onDrainRequest?: ((drain: () => void) => Disposable) | undefined;
}

const BOOT_ID = '/proc/sys/kernel/random/boot_id';

/**
 * Creates the agent module that delays shutdowns of the node until its pods have ended, in the order of their priorities (kubelet: graceful node shutdown).
 * Without a configured grace period it watches for no shutdowns. A drain, requested at the endpoint `/drain` of the local socket, ends the pods in the same way.
 */
export function nodeShutdown(options: NodeShutdownModuleOptions = {}): AgentModule {
  const groups = shutdownGroups(options);
  return {
    name: 'node-shutdown',
    uses: [podVolumes],
    setup({ core, services, files, hostFiles, node, ...ports }) {
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
      // A new agent asks before it has read the statuses of the pods that it has listed.
      const isRunning = (uid: string): boolean => hasRunningContainer(core.runtimePod(uid));
      const requests = options.onDrainRequest?.(() => {
        shutdown.drain().catch((error: unknown) => {
          ports.logger.warn('cannot drain the node', { error: errorMessage(error) });
        });
      });
      return {
        start: () => shutdown.start(),
        contributions: [
          contribute(admissionHandlers, {
            name: 'node-shutdown',
            // After a restart of the agent, pods that run end in their turn.
            admit: ({ metadata }) =>
              !shutdown.isShuttingDown.value ||
              isRunning(metadata?.uid ?? '') ||
              shutdown.wasTerminating(metadata?.uid ?? '')
                ? undefined
                : shutdownRejection,
          }),
          contribute(podEvictors, {
            name: 'node-shutdown',
            // What still runs of a pod ends in its turn; what has ended while the agent was away must not start again.
            shouldEvict: (pod, { phase }) =>
              shutdown.wasTerminating(podUid(pod)) && !isTerminalPhase(phase) && !isRunning(podUid(pod))
                ? shutdownFailure
                : undefined,
          }),
          contribute(nodeStatusSetters, {
            name: 'node-shutdown',
            changes$: shutdown.isShuttingDown.value$.pipe(skip(1), distinctUntilChanged()),
            contribute: () => (shutdown.isShuttingDown.value ? { notReady: SHUTTING_DOWN } : {}),
          }),
          contribute(httpEndpoints, drainEndpoint(shutdown)),
          contribute(debugSections, { name: 'nodeShutdown', inspect: () => shutdown.inspect() }),
        ],
        async [Symbol.asyncDispose]() {
          requests?.[Symbol.dispose]();
          await shutdown[Symbol.asyncDispose]();
        },
      };
    },
  };
}
