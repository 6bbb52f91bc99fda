import type { Clock } from '@rxlet/component-base';
import type { Metrics } from '@rxlet/component-base/metrics';

/** Durations of the start of a node that is new to its cluster, with the kubelet's names. Each step counts once. */
export interface NodeStartup {
  /** Records the boot of the machine, in epoch milliseconds; without it, durations since then are not known. */
  booted(bootMs: number): void;
  /** Records an attempt to create the Node object. */
  registering(): void;
  /** Records that the Node object was created. One that existed before is not measured. */
  registered(): void;
  /** Records a report of a node that is ready. */
  ready(): void;
}

/** Registers the metrics. The agent starts now. */
export function createNodeStartup(metrics: Metrics, clock: Pick<Clock, 'now'>): NodeStartup {
  const gauge = (step: string, help: string) =>
    metrics.gauge({
      name: `kubelet_node_startup_${step}duration_seconds`,
      help: `[ALPHA] Duration in seconds of ${help}.`,
    });
  const preKubelet = gauge('pre_kubelet_', 'node startup before kubelet starts');
  const preRegistration = gauge('pre_registration_', 'node startup before registration');
  const registration = gauge('registration_', 'node startup during registration');
  const postRegistration = gauge('post_registration_', 'node startup after registration');
  const total = gauge('', 'node startup in total');
  const startMs = clock.now();
  let bootMs: number | undefined;
  let registeringMs: number | undefined;
  let registeredMs: number | undefined;
  let isReady = false;
  return {
    booted: (atMs) => void (bootMs = atMs),
    registering: () => void (registeringMs ??= clock.now()),
    registered() {
      if (registeringMs === undefined || registeredMs !== undefined) return;
      registeredMs = clock.now();
      if (bootMs !== undefined) preKubelet.set((startMs - bootMs) / 1000);
      preRegistration.set((registeringMs - startMs) / 1000);
      registration.set((registeredMs - registeringMs) / 1000);
    },
    ready() {
      if (registeredMs === undefined || isReady) return;
      isReady = true;
      postRegistration.set((clock.now() - registeredMs) / 1000);
      if (bootMs !== undefined) total.set((clock.now() - bootMs) / 1000);
    },
  };
}

/** Returns the boot of the machine, in epoch milliseconds, by the content of `/proc/stat`. */
export function parseBootMs(stat: string): number | undefined {
  const seconds = /^btime (\d+)$/m.exec(stat)?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}
