import type { HookRunner, LifecycleHookRequest } from '@rxlet/agent-api/containers';
import { type Clock, createLifetime, errorMessage, type Logger, noopLogger, sleep } from '@rxlet/component-base';
import type { EventRecorder } from '@rxlet/component-base/events';
import { goQuote } from '@rxlet/component-base/go';
import { type Metrics, noopMetrics } from '@rxlet/component-base/metrics';
import type { HttpPort } from '@rxlet/component-base/http';
import type { RuntimeService } from '@rxlet/cri-api';
import type { Pod } from '@rxlet/kube-api';
import { formatPod } from '@rxlet/pod-model';
import { runExecHook } from './exec-hook.ts';
import { runHttpHook } from './http-hook.ts';
import { LifecycleHookError } from './lifecycle-hook-error.ts';

/** Ports of {@link createLifecycleHooks}. */
export interface LifecycleHooksPorts {
  readonly runtime: Pick<RuntimeService, 'execSync'>;
  readonly clock: Clock;
  /** HTTP client; `nodeHttp` of `@rxlet/component-base/http` uses real sockets. */
  readonly http: HttpPort;
  /**
   * Reads the first IP of the pod's sandbox from the runtime, because a postStart hook runs before the pod's status has an IP; `undefined` without one. Called
   * only for HTTP hooks without a host.
   */
  podIp(pod: Pod, signal: AbortSignal): Promise<string | undefined>;
  readonly events: EventRecorder;
  readonly metrics?: Metrics | undefined;
  readonly logger?: Logger | undefined;
}

/** Options of {@link createLifecycleHooks}. */
export interface LifecycleHooksOptions {
  /** Kubernetes version `<major>.<minor>` for the header `User-Agent: kube-lifecycle/<version>`. Default `1.36`. */
  readonly kubernetesVersion?: string;
}

/** Runs lifecycle hooks. A hook that fails or is aborted rejects with {@link LifecycleHookError}. Disposal aborts hooks in flight. */
export interface LifecycleHooks extends HookRunner, AsyncDisposable {}

/** Creates {@link LifecycleHooks} for `exec`, `httpGet` and `sleep` handlers, with the kubelet's rules and messages. */
export function createLifecycleHooks(ports: LifecycleHooksPorts, options: LifecycleHooksOptions = {}): LifecycleHooks {
  const { clock, logger = noopLogger, metrics = noopMetrics } = ports;
  const lifetime = createLifetime();
  const httpContext = {
    ...ports,
    userAgent: `kube-lifecycle/${options.kubernetesVersion ?? '1.36'}`,
    fallbacks: metrics.counter({
      name: 'kubelet_lifecycle_handler_http_fallbacks_total',
      help: '[ALPHA] The number of times lifecycle handlers successfully fell back to http from https.',
    }),
  };
  const interruptedSleeps = metrics.counter({
    name: 'kubelet_sleep_action_terminated_early_total',
    help: '[ALPHA] The number of times lifecycle sleep handler got terminated before it finishes',
  });

  const runSleep = async (seconds: number, signal: AbortSignal): Promise<void> => {
    try {
      await sleep(clock, seconds * 1000, signal);
    } catch {
      interruptedSleeps.inc();
      throw new Error('container terminated before sleep hook finished');
    }
  };

  const run = async (request: LifecycleHookRequest, signal: AbortSignal): Promise<void> => {
    const { exec, httpGet, sleep: pause } = request.handler;
    const where = `for Container ${goQuote(request.container)} in Pod ${goQuote(formatPod(request.pod))} failed - error:`;
    if (exec !== undefined) {
      const { error, output } = await runExecHook(ports.runtime, request, exec, signal);
      if (error === undefined) return;
      const command = (exec.command ?? []).join(' ');
      const message = `Exec lifecycle hook ([${command}]) ${where} ${errorMessage(error)}, message: ${goQuote(output)}`;
      throw new LifecycleHookError('ExecHookFailed', message, { cause: error });
    }
    if (httpGet !== undefined) {
      try {
        return await runHttpHook(httpContext, request, httpGet, signal);
      } catch (error) {
        const message = `HTTP lifecycle hook (${httpGet.path ?? ''}) ${where} ${errorMessage(error)}`;
        throw new LifecycleHookError('HttpHookFailed', message, { cause: error });
      }
    }
    if (pause !== undefined) {
      try {
        return await runSleep(pause.seconds, signal);
      } catch (error) {
        const message = `Sleep lifecycle hook (${String(pause.seconds)}) ${where} ${errorMessage(error)}`;
        throw new LifecycleHookError('SleepHookFailed', message, { cause: error });
      }
    }
    const message = `Cannot run handler: invalid handler: none of exec, httpGet and sleep is set`;
    throw new LifecycleHookError('InvalidHandler', message);
  };

  const runLogged = async (kind: string, request: LifecycleHookRequest): Promise<void> => {
    const signal = request.signal === undefined ? lifetime.signal : AbortSignal.any([request.signal, lifetime.signal]);
    const startMs = clock.monotonicNow();
    try {
      await run(request, signal);
    } finally {
      const { pod, container, containerId } = request;
      const tookMs = clock.monotonicNow() - startMs;
      logger.debug(`${kind} hook ended`, { pod: formatPod(pod), container, containerId, tookMs });
    }
  };

  return {
    postStart: (request) => lifetime.track(runLogged('postStart', request)),
    preStop: (request) => lifetime.track(runLogged('preStop', request)),
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}
