import type { Container, Pod, Probe } from '@rxlet/kube-api';
import { isSidecar, podContainers } from '@rxlet/pod-model';

/** Kind of a probe. Liveness decides restarts, readiness decides traffic, and startup delays the other two. */
export type ProbeKind = 'liveness' | 'readiness' | 'startup';

/** One probe of one container. */
export interface ProbeTarget {
  readonly kind: ProbeKind;
  readonly pod: Pod;
  readonly container: Container;
  readonly containerKind: 'init' | 'regular';
  readonly probe: Probe;
  readonly timing: ProbeTiming;
}

/** Timing and thresholds of a probe, with the defaults of the API. */
export interface ProbeTiming {
  readonly initialDelaySeconds: number;
  readonly periodMs: number;
  readonly timeoutMs: number;
  readonly successThreshold: number;
  readonly failureThreshold: number;
}

/** Names of the kinds in events and metrics. */
export const probeKindNames: Readonly<Record<ProbeKind, string>> = {
  liveness: 'Liveness',
  readiness: 'Readiness',
  startup: 'Startup',
};

/** Returns all probes of a pod. Only regular containers and sidecars are probed. */
export function probeTargets(pod: Pod): readonly ProbeTarget[] {
  const targets: ProbeTarget[] = [];
  for (const { kind: containerKind, container } of podContainers(pod, ['init', 'regular'])) {
    if (containerKind === 'ephemeral' || (containerKind === 'init' && !isSidecar(container))) continue;
    const probes: readonly (readonly [ProbeKind, Probe | undefined])[] = [
      ['startup', container.startupProbe],
      ['readiness', container.readinessProbe],
      ['liveness', container.livenessProbe],
    ];
    for (const [kind, probe] of probes) {
      if (probe === undefined) continue;
      targets.push({ kind, pod, container, containerKind, probe, timing: probeTiming(probe) });
    }
  }
  return targets;
}

/** Returns the timing of a probe. Missing and zero values get the defaults of the API. */
export function probeTiming(probe: Probe): ProbeTiming {
  return {
    initialDelaySeconds: probe.initialDelaySeconds ?? 0,
    periodMs: positive(probe.periodSeconds, 10) * 1000,
    timeoutMs: positive(probe.timeoutSeconds, 1) * 1000,
    successThreshold: positive(probe.successThreshold, 1),
    failureThreshold: positive(probe.failureThreshold, 3),
  };
}

function positive(value: number | undefined, fallback: number): number {
  return value !== undefined && value > 0 ? value : fallback;
}
