import { type AgentModule, contribute, provide } from '@rxlet/agent-api';
import { containerFields, supportedPodFields } from '@rxlet/agent-api/pod-fields';
import { hookRunner } from '@rxlet/agent-api/containers';
import { type HttpPort, nodeHttp } from '@rxlet/component-base/http';
import { createLifecycleHooks, type LifecycleHooksOptions } from './lifecycle-hooks.ts';

/** Options of {@link lifecycleHooks}. */
export interface LifecycleHooksModuleOptions extends LifecycleHooksOptions {
  /** HTTP client. Default: the node's network. */
  readonly http?: HttpPort;
}

const HOOKS: readonly string[] = containerFields('lifecycle.postStart', 'lifecycle.preStop');

/** Creates the agent module that runs postStart and preStop hooks. */
export function lifecycleHooks(options: LifecycleHooksModuleOptions = {}): AgentModule {
  return {
    name: 'lifecycle-hooks',
    provides: [hookRunner],
    setup({ runtime, clock, logger, metrics, events, core }) {
      const hooks = createLifecycleHooks(
        {
          runtime,
          clock,
          logger,
          metrics,
          events,
          http: options.http ?? nodeHttp,
          podIp: async (pod, signal) => (await core.podIps(pod, signal))[0],
        },
        options,
      );
      return {
        services: [provide(hookRunner, hooks)],
        contributions: [contribute(supportedPodFields, ...HOOKS)],
        [Symbol.asyncDispose]: () => hooks[Symbol.asyncDispose](),
      };
    },
  };
}
