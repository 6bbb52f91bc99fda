import type { AgentModule } from '@rxlet/agent-api';
import { createLifetime, createProblemLog, errorMessage, sleep } from '@rxlet/component-base';

/** Options of {@link podCidr}. */
export interface PodCidrOptions {
  /** Range of the addresses of pods, or two of them joined by a comma (KubeletConfiguration `podCIDR`). */
  readonly podCidr: string;
}

const RETRY_MS = 10_000;

/**
 * Creates the agent module that passes the range of pod addresses to the runtime of an agent without an API server. It retries until the runtime accepts the range.
 * In a cluster, the module `nodeStatus` passes the range of the Node object.
 */
export function podCidr(options: PodCidrOptions): AgentModule {
  return {
    name: 'pod-cidr',
    setup({ runtime, clock, logger }) {
      const lifetime = createLifetime();
      const { signal } = lifetime;
      const pass = async (): Promise<void> => {
        const problems = createProblemLog(logger);
        for (;;) {
          try {
            await runtime.updateRuntimeConfig(
              { runtimeConfig: { networkConfig: { podCidr: options.podCidr } } },
              { signal },
            );
            return;
          } catch (error) {
            signal.throwIfAborted();
            const fields = { podCidr: options.podCidr, error: errorMessage(error) };
            problems.failed('cannot pass the range of pod addresses to the runtime; it is tried again', fields);
          }
          await sleep(clock, RETRY_MS, signal);
        }
      };
      return {
        start: () => void lifetime.track(pass()).catch(() => undefined),
        [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
      };
    },
  };
}
