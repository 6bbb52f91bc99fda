import type { AgentModule } from '@rxlet/agent-api';
import { createLifetime, errorMessage } from '@rxlet/component-base';
import type { EventObject } from '@rxlet/component-base/events';
import { hostKernelLog, type KernelLog } from './oom/kernel-log.ts';
import { createOomParser } from './oom/parse-oom.ts';

/** Options of {@link oomEvents}. */
export interface OomEventsOptions {
  /** Default: the log of this machine. */
  readonly kernelLog?: KernelLog | undefined;
}

/**
 * Creates the agent module that reports when the node as a whole runs out of memory, as the event `SystemOOM` of the node. An OOM kill at the limit of a container
 * or a pod is part of the container's status instead. Without access to the kernel's log it logs that once.
 */
export function oomEvents({ kernelLog }: OomEventsOptions = {}): AgentModule {
  return {
    name: 'oom-events',
    setup({ clock, events, logger, node: { name } }) {
      const lifetime = createLifetime();
      const log = kernelLog ?? hostKernelLog(clock);
      const node: EventObject = { apiVersion: 'v1', kind: 'Node', name };

      const watch = async (): Promise<void> => {
        const parser = createOomParser();
        for await (const message of log.follow(lifetime.signal)) {
          const kill = parser.next(message);
          if (kill?.cgroup !== '/') continue;
          const text = `System OOM encountered, victim process: ${kill.process}, pid: ${String(kill.pid)}`;
          events.event(node, 'Warning', 'SystemOOM', text);
        }
      };

      return {
        start() {
          void lifetime.track(watch()).catch((error: unknown) => {
            if (lifetime.signal.aborted) return;
            logger.warn('cannot watch for OOM kills of the node', { error: errorMessage(error) });
          });
        },
        [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
      };
    },
  };
}
