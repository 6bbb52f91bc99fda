import type { Container, Pod, Probe } from '@rxlet/kube-api';
import { isSidecar, podContainers } from '@rxlet/pod-model';

/** What a probe decides: a restart (liveness), traffic (readiness), or when the other two begin (startup). */
export type ProbeKind = 'liveness' | 'readiness' | 'startup';

/** Last result of a probe; `unknown` is how a startup probe begins. */
export type ProbeResult = 'success' | 'failure' | 'unknown';

/** One probe of one container. */
export interface ProbeTarget {
  readonly kind: ProbeKind;
  readonly pod: Pod;
  readonly container: Container;
  readonly containerKind: 'init' | 'regular';
  readonly probe: Probe;
  readonly timing: ProbeTiming;
}

/** When a probe runs and what its results count, with the API's defaults filled in. */
export interface ProbeTiming {
  readonly initialDelaySeconds: number;
  readonly periodMs: number;
  readonly timeoutMs: number;
  readonly successThreshold: number;
  readonly failureThreshold: number;
}

/** The kind as events and metrics name it. */
export const probeKindNames: Readonly<Record<ProbeKind, string>> = {
  liveness: 'Liveness',
  readiness: 'Readiness',
  startup: 'Startup',
};

/** All probes of a pod. Only regular containers and sidecars are probed; other init containers and ephemeral ones just run. */
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

/** The timing of a probe, with the API's defaults for what is missing or zero. */
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
