import { type Clock, createLifetime, errorMessage, type Logger, sleep, withDeadline } from '@rxlet/component-base';
import { createCurrentValue, type CurrentValue } from '@rxlet/component-base/streams';
import type { RuntimeCondition, RuntimeFeatures, RuntimeHandler, RuntimeService } from '@rxlet/cri-api';

/** Health of the container runtime. */
export interface RuntimeState extends AsyncDisposable {
  /** Starts to request the runtime's status, at once and then periodically. */
  start(): void;
  /** Returns why no container can start; `undefined` when containers can. */
  runtimeProblem(): string | undefined;
  /** Returns why no pod can get a network; `undefined` when pods can. */
  networkProblem(): string | undefined;
  /** Returns everything that keeps pods from running, in the order of the kubelet: a runtime that does not respond, `healthChecks`, its conditions. */
  problems(healthChecks?: readonly string[]): readonly string[];
  /** Returns the handlers of the last status in which the runtime was ready. */
  handlers(): readonly RuntimeHandler[];
  /** Returns the features of the last status in which the runtime was ready. */
  features(): RuntimeFeatures | undefined;
  /** Whether the first status request has ended, with or without an answer. */
  readonly isKnown: CurrentValue<boolean>;
}

/** Ports of {@link createRuntimeState}. */
export interface RuntimeStatePorts {
  readonly runtime: Pick<RuntimeService, 'status'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Options of {@link createRuntimeState}. */
export interface RuntimeStateOptions {
  /** Period of status requests. Default five seconds, as in the kubelet. */
  readonly periodMs?: number;
  /** Time without a ready status after which the runtime counts as down. Default 30 seconds, as in the kubelet. */
  readonly downAfterMs?: number;
}

/** Deadline of one request, below the time after which the runtime counts as down. */
const STATUS_TIMEOUT_MS = 15_000;

/** Watches the conditions of the container runtime (CRI Status), as the kubelet's updateRuntimeUp does. */
export function createRuntimeState(ports: RuntimeStatePorts, options: RuntimeStateOptions = {}): RuntimeState {
  const { runtime, clock, logger } = ports;
  const { periodMs = 5_000, downAfterMs = 30_000 } = options;
  const lifetime = createLifetime();
  const isKnown = createCurrentValue(false);
  let runtimeError: string | undefined;
  let networkError: string | undefined = 'network state unknown';
  let readyMs: number | undefined;
  let handlers: readonly RuntimeHandler[] = [];
  let features: RuntimeFeatures | undefined;
  let started = false;
  let logged = '';

  const requestStatus = async (): Promise<void> => {
    try {
      const {
        status,
        runtimeHandlers,
        features: offered,
      } = await withDeadline(clock, STATUS_TIMEOUT_MS, lifetime.signal, (signal) =>
        runtime.status({}, { signal, timeoutMs: STATUS_TIMEOUT_MS }),
      );
      const conditions = status?.conditions ?? [];
      networkError = problemOf(conditions, 'NetworkReady', 'container runtime network not ready');
      runtimeError = problemOf(conditions, 'RuntimeReady', 'container runtime not ready');
      if (runtimeError === undefined) {
        readyMs = clock.monotonicNow();
        handlers = runtimeHandlers;
        features = offered;
      }
      logChange(runtimeError ?? networkError ?? '');
    } catch (error) {
      // A runtime that does not answer may be restarting; it counts as down after `downAfterMs`.
      if (!lifetime.signal.aborted)
        logChange(`cannot read the status of the container runtime: ${errorMessage(error)}`);
    }
    if (!isKnown.value) isKnown.set(true);
  };
  const logChange = (problem: string): void => {
    if (problem === logged) return;
    if (problem === '') logger.info('the container runtime and its network are ready');
    else logger.warn(problem);
    logged = problem;
  };
  const loop = async (): Promise<void> => {
    while (!lifetime.signal.aborted) {
      await requestStatus();
      await sleep(clock, periodMs, lifetime.signal).catch(() => undefined);
    }
  };

  const responseProblem = (): string | undefined => {
    if (readyMs === undefined) return 'container runtime status check may not have completed yet';
    return clock.monotonicNow() - readyMs > downAfterMs ? 'container runtime is down' : undefined;
  };

  return {
    start() {
      if (started) return;
      started = true;
      void lifetime.track(loop());
    },
    runtimeProblem: () => runtimeError ?? responseProblem(),
    networkProblem: () => networkError,
    problems: (healthChecks = []) =>
      [responseProblem(), ...healthChecks, runtimeError, networkError].filter((problem) => problem !== undefined),
    handlers: () => handlers,
    features: () => features,
    isKnown,
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}

/** A missing condition counts as false, and is shown as `<nil>`, as in the kubelet. */
function problemOf(conditions: readonly RuntimeCondition[], type: string, what: string): string | undefined {
  const condition = conditions.find((one) => one.type === type);
  if (condition?.status === true) return undefined;
  if (condition === undefined) return `${what}: <nil>`;
  const { reason, message } = condition;
  return `${what}: ${type}=false reason:${reason} message:${message}`;
}
