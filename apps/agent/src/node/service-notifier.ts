import { execFile } from 'node:child_process';
import {
  type Clock,
  createLifetime,
  errorMessage,
  type Logger,
  onAbort,
  sleep,
  withDeadline,
} from '@rxlet/component-base';
import { ConfigError } from '../config/config-error.ts';

/** Sends one state to the service manager (sd_notify), such as `READY=1`. */
export type SendState = (state: string, signal: AbortSignal) => Promise<void>;

/** The environment variables by which systemd asks a service for notifications. */
export interface ServiceEnvironment {
  readonly NOTIFY_SOCKET?: string | undefined;
  readonly WATCHDOG_USEC?: string | undefined;
  readonly WATCHDOG_PID?: string | undefined;
}

/** Ports of {@link createServiceNotifier}. */
export interface ServiceNotifierPorts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly send: SendState;
  /** Returns the problem that the watchdog must act on; `undefined` when there is none. */
  checkHealth(): string | undefined;
}

/** Notifications to the service manager that started the agent. Disposing of it ends the watchdog's notifications. */
export interface ServiceNotifier extends AsyncDisposable {
  /** Reports that the agent is ready, and from then on feeds the watchdog while the agent is healthy. */
  ready(): void;
  /** Reports that the agent is stopping, so that the service manager does not take its end for a failure. Resolves when the report is sent, or cannot be. */
  stopping(): Promise<void>;
}

/** Deadline of one notification. */
const SEND_TIMEOUT_MS = 5_000;
/** Pause before the second and last attempt to feed the watchdog; the kubelet's. */
const RETRY_DELAY_MS = 1_000;

/**
 * Creates the notifier of a service; `undefined` when the service manager asked for no notifications. A blocked event loop feeds no watchdog, because
 * the notifications come from its timers.
 *
 * @throws ConfigError when the watchdog's interval is too short, by the kubelet's rule
 */
export function createServiceNotifier(
  ports: ServiceNotifierPorts,
  environment: ServiceEnvironment,
  pid: number,
): ServiceNotifier | undefined {
  if (!environment.NOTIFY_SOCKET) return undefined;
  const watchdogMs = watchdogIntervalMs(environment, pid);
  const { clock, logger, send, checkHealth } = ports;
  const lifetime = createLifetime();
  const { signal } = lifetime;

  const notify = async (state: string): Promise<boolean> => {
    try {
      await withDeadline(clock, SEND_TIMEOUT_MS, signal, (ended) => send(state, ended));
      return true;
    } catch (error) {
      if (!signal.aborted) logger.warn('cannot notify the service manager', { state, error: errorMessage(error) });
      return false;
    }
  };
  const feedWatchdog = async (): Promise<void> => {
    const problem = checkHealth();
    if (problem !== undefined) {
      logger.warn('withheld the notification of the watchdog: the agent is not healthy', { problem });
    } else if (!(await notify('WATCHDOG=1'))) {
      await sleep(clock, RETRY_DELAY_MS, signal);
      await notify('WATCHDOG=1');
    }
  };
  const run = async (): Promise<void> => {
    await notify('READY=1');
    let nextMs = clock.monotonicNow();
    while (watchdogMs !== undefined) {
      nextMs = Math.max(nextMs + watchdogMs / 2, clock.monotonicNow());
      await sleep(clock, nextMs - clock.monotonicNow(), signal);
      await feedWatchdog();
    }
  };
  return {
    ready: () => void lifetime.track(run()),
    stopping: async () => void (await notify('STOPPING=1')),
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}

/** Returns the watchdog's interval; `undefined` when it is off or meant for another process. */
function watchdogIntervalMs({ WATCHDOG_USEC, WATCHDOG_PID }: ServiceEnvironment, pid: number): number | undefined {
  if (!WATCHDOG_USEC || (WATCHDOG_PID && WATCHDOG_PID !== String(pid))) return undefined;
  const ms = Number(WATCHDOG_USEC) / 1000;
  if (ms > 1000) return ms;
  throw new ConfigError(
    `configure watchdog timeout too small: WATCHDOG_USEC is "${WATCHDOG_USEC}"; set WatchdogSec of the service to more than 1 second`,
  );
}

/**
 * Sends a state with `systemd-notify`, because Node.js has no unix datagram sockets. Run as root, it sends in the name of this process, which is the
 * main process of the service; otherwise the service needs `NotifyAccess=all`.
 */
export const sendBySystemdNotify: SendState = (state, signal) =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted();
    // The signal option of execFile would send SIGTERM, which a process may ignore.
    const child = execFile('systemd-notify', [state], (error, _stdout, stderr) => {
      listener[Symbol.dispose]();
      if (error === null) resolve();
      else if (error.code === 'ENOENT') reject(new Error('systemd-notify is not installed', { cause: error }));
      else reject(new Error(stderr.trim() || `systemd-notify failed: ${error.message.trim()}`, { cause: error }));
    });
    const listener = onAbort(signal, () => child.kill('SIGKILL'));
  });
