import { type Clock, createLifetime, errorMessage, type Logger, sleep, withDeadline } from '@rxlet/component-base';
import type { RuntimeCondition, RuntimeService } from '@rxlet/cri-api';

/** What is known of the container runtime's own health. */
export interface RuntimeState extends AsyncDisposable {
  /** Begins to ask the runtime, at once and then periodically. */
  start(): void;
  /** Why no container can be started at all; `undefined` when some can. */
  runtimeProblem(): string | undefined;
  /** Why no pod can get a network; `undefined` when it can. */
  networkProblem(): string | undefined;
  /** Resolves once the runtime has told, or failed to. */
  known(signal: AbortSignal): Promise<void>;
}

/** What a runtime state needs. */
export interface RuntimeStatePorts {
  readonly runtime: Pick<RuntimeService, 'status'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Options of {@link createRuntimeState}. */
export interface RuntimeStateOptions {
  /** How often the runtime is asked. Default five seconds, as in the kubelet. */
  readonly periodMs?: number;
  /** How long it may leave the question unanswered before it counts as down. Default 30 seconds, as in the kubelet. */
  readonly downAfterMs?: number;
}

/** A single question must not outlast the time after which the runtime counts as down. */
const STATUS_TIMEOUT_MS = 15_000;

/** Watches the conditions of the container runtime (CRI Status), as the kubelet's updateRuntimeUp does. */
export function createRuntimeState(ports: RuntimeStatePorts, options: RuntimeStateOptions = {}): RuntimeState {
  const { runtime, clock, logger } = ports;
  const { periodMs = 5_000, downAfterMs = 30_000 } = options;
  const lifetime = createLifetime();
  const answered = Promise.withResolvers<void>();
  let runtimeError: string | undefined;
  let networkError: string | undefined = 'network state unknown';
  let readyMs: number | undefined;
  let started = false;
  let logged = '';

  const ask = async (): Promise<void> => {
    try {
      const { status } = await withDeadline(clock, STATUS_TIMEOUT_MS, lifetime.signal, (signal) =>
        runtime.status({}, { signal, timeoutMs: STATUS_TIMEOUT_MS }),
      );
      const conditions = status?.conditions ?? [];
      networkError = problemOf(conditions, 'NetworkReady', 'container runtime network not ready');
      runtimeError = problemOf(conditions, 'RuntimeReady', 'container runtime not ready');
      if (runtimeError === undefined) readyMs = clock.monotonicNow();
      note(runtimeError ?? networkError ?? '');
    } catch (error) {
      // A runtime that does not answer may only be restarting; it is down when that lasts.
      if (!lifetime.signal.aborted) note(`the container runtime does not tell its status: ${errorMessage(error)}`);
    }
    answered.resolve();
  };
  const note = (problem: string): void => {
    if (problem === logged) return;
    if (problem === '') logger.info('the container runtime and its network are ready');
    else logger.warn(problem);
    logged = problem;
  };
  const loop = async (): Promise<void> => {
    while (!lifetime.signal.aborted) {
      await ask();
      await sleep(clock, periodMs, lifetime.signal).catch(() => undefined);
    }
  };

  return {
    start() {
      if (started) return;
      started = true;
      void lifetime.track(loop());
    },
    runtimeProblem() {
      if (runtimeError !== undefined) return runtimeError;
      if (readyMs === undefined) return 'container runtime status check may not have completed yet';
      return clock.monotonicNow() - readyMs > downAfterMs ? 'container runtime is down' : undefined;
    },
    networkProblem: () => networkError,
    known(signal) {
      return new Promise((resolve, reject) => {
        const abort = (): void => reject(signal.reason as Error);
        if (signal.aborted) abort();
        signal.addEventListener('abort', abort, { once: true });
        void answered.promise.then(() => {
          signal.removeEventListener('abort', abort);
          resolve();
        });
      });
    },
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}

/** A condition that is not there counts as false, as in the kubelet. */
function problemOf(conditions: readonly RuntimeCondition[], type: string, what: string): string | undefined {
  const condition = conditions.find((one) => one.type === type);
  if (condition?.status === true) return undefined;
  const { reason = '', message = '' } = condition ?? {};
  return `${what}: ${type}=false reason:${reason} message:${message}`;
}
