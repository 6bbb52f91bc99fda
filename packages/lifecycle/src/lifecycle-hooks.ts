import {
  type Clock,
  createLifetime,
  errorMessage,
  type EventRecorder,
  goQuote,
  type Logger,
  type Metrics,
  noopLogger,
  noopMetrics,
  sleep,
} from '@rxlet/component-base';
import type { HttpPort } from '@rxlet/component-base/http';
import type { RuntimeService } from '@rxlet/cri-api';
import type { LifecycleHandler, Pod } from '@rxlet/kube-api';
import { formatPod } from '@rxlet/pod-model';
import { runExecHook } from './exec-hook.ts';
import { runHttpHook } from './http-hook.ts';
import { LifecycleHookError } from './lifecycle-hook-error.ts';

/** What runs hooks needs from its surroundings. */
export interface LifecycleHooksPorts {
  readonly runtime: Pick<RuntimeService, 'execSync'>;
  readonly clock: Clock;
  /** `nodeHttp` of `@rxlet/component-base/http` on real sockets. */
  readonly http: HttpPort;
  /**
   * The first IP of the pod's sandbox, asked of the runtime at this moment: a postStart hook runs before any status is published. `undefined`: it has
   * none. Asked only for an HTTP hook that names no host.
   */
  podIp(pod: Pod, signal: AbortSignal): Promise<string | undefined>;
  readonly events: EventRecorder;
  readonly metrics?: Metrics | undefined;
  readonly logger?: Logger | undefined;
}

/** Options of {@link createLifecycleHooks}. */
export interface LifecycleHooksOptions {
  /** `<major>.<minor>` of the Kubernetes version to call oneself in `User-Agent: kube-lifecycle/<version>`. Default `1.36`. */
  readonly kubernetesVersion?: string;
}

/** What a hook is run for. */
export interface LifecycleHookRequest {
  readonly pod: Pod;
  /** Name of the container. */
  readonly container: string;
  /** Id as the runtime knows it. */
  readonly containerId: string;
  readonly handler: LifecycleHandler;
  /** Ends the hook. There is no other limit to how long it may take. */
  readonly signal?: AbortSignal | undefined;
}

/** Runs lifecycle hooks; nothing runs in between. Disposing of it ends those under way. */
export interface LifecycleHooks extends AsyncDisposable {
  /** Resolves when the hook of a started container has succeeded. Rejects with {@link LifecycleHookError}, also when the signal aborts. */
  postStart(request: LifecycleHookRequest): Promise<void>;
  /** The same for a container about to be stopped. */
  preStop(request: LifecycleHookRequest): Promise<void>;
}

/** Creates {@link LifecycleHooks}: `exec`, `httpGet` and `sleep` handlers, with the kubelet's rules and words. */
export function createLifecycleHooks(ports: LifecycleHooksPorts, options: LifecycleHooksOptions = {}): LifecycleHooks {
  const { clock, logger = noopLogger, metrics = noopMetrics } = ports;
  const lifetime = createLifetime();
  const httpContext = {
    ...ports,
    userAgent: `kube-lifecycle/${options.kubernetesVersion ?? '1.36'}`,
    fallbacks: metrics.counter({
      name: 'kubelet_lifecycle_handler_http_fallbacks_total',
      help: 'HTTPS lifecycle hooks that were answered by plain HTTP and succeeded without TLS.',
    }),
  };
  const interruptedSleeps = metrics.counter({
    name: 'kubelet_sleep_action_terminated_early_total',
    help: 'Sleep lifecycle hooks that were ended before their time.',
  });

  const runSleep = async (seconds: number, signal: AbortSignal): Promise<void> => {
    try {
      await sleep(clock, seconds * 1000, signal);
    } catch (error) {
      interruptedSleeps.inc();
      throw new Error('container terminated before sleep hook finished', { cause: error });
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
