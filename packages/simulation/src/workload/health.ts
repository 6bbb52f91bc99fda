import type { Behaviour, BehaviourScript } from '@rxlet/fake-cri/scripts';
import { SCRIPT_ANNOTATION_PREFIX } from '@rxlet/fake-cri/scripts';
import type { Container, Probe } from '@rxlet/kube-api';

/**
 * Kinds of health of a container, as its probes see it.
 *
 * - `slow`: its first instance starts slowly, and would fail its liveness probe before.
 * - `flickering`: its liveness probe fails once, which is below the threshold.
 * - `unready`: it is not ready for half a minute.
 * - `stuck`: its first two instances get stuck.
 * - `unborn`: its first instance never starts.
 */
export type HealthKind = 'slow' | 'flickering' | 'unready' | 'stuck' | 'unborn';

/** Health of an instance of a container. Times are seconds since its start. */
export interface InstanceHealth {
  /** Time from which its startup probe succeeds. Until then, the other two fail. Default: at once. */
  readonly startsAt?: number;
  /** Time in which its liveness and readiness probes fail. */
  readonly dead?: { readonly from: number; readonly to: number };
  /** Time in which its readiness probe fails. */
  readonly unready?: { readonly from: number; readonly to: number };
}

/** Health by instance, the last one also of all later ones. */
const HEALTH: Readonly<Record<HealthKind, readonly InstanceHealth[]>> = {
  slow: [{ startsAt: 28 }, {}],
  flickering: [{ dead: { from: 20, to: 24 } }],
  unready: [{ unready: { from: 20, to: 50 } }],
  stuck: [{ startsAt: 2, dead: { from: 20, to: Infinity } }, { dead: { from: 45, to: Infinity } }, {}],
  unborn: [{ startsAt: Infinity }, {}],
};
export const HEALTH_KINDS: readonly HealthKind[] = Object.keys(HEALTH) as HealthKind[];

const LIVENESS = { periodSeconds: 5, failureThreshold: 2 } as const;
const READINESS = { periodSeconds: 5, failureThreshold: 1 } as const;
const STARTUP = { periodSeconds: 2, failureThreshold: 30 } as const;

/** Returns the health of an instance of a container. */
export function instanceHealth(kind: HealthKind, attempt: number): InstanceHealth {
  const instances = HEALTH[kind];
  return instances[Math.min(attempt, instances.length - 1)]!;
}

/** When the probes of an instance give a reason to restart it. */
export interface RestartReason {
  /** Time after its start from which a probe fails, in milliseconds. */
  readonly fromMs: number;
  /** Time after the first failure at which the threshold is reached at the earliest, in milliseconds. */
  readonly afterMs: number;
}

/** Returns when the probes of an instance give a reason to restart it; `undefined` if they never do. */
export function restartReason({ startsAt = 0, dead }: InstanceHealth): RestartReason | undefined {
  const afterMs = ({ failureThreshold, periodSeconds }: typeof LIVENESS | typeof STARTUP): number =>
    (failureThreshold - 1) * periodSeconds * 1_000;
  if (startsAt === Infinity) return { fromMs: 0, afterMs: afterMs(STARTUP) };
  if (dead === undefined || (dead.to - dead.from) * 1_000 < afterMs(LIVENESS)) return undefined;
  return { fromMs: dead.from * 1_000, afterMs: afterMs(LIVENESS) };
}

/** Returns the time after which the health of an instance stays as it is, in milliseconds; `Infinity` for one that must be restarted. */
export function settledMs({ startsAt = 0, dead, unready }: InstanceHealth): number {
  return Math.max(startsAt, dead?.to ?? 0, unready?.to ?? 0) * 1_000;
}

/** Returns a container with probes of its health. */
export function withHealth(container: Container, kind: HealthKind): Container {
  const probe = (what: ProbeName): Probe => ({ exec: { command: commandOf(what, kind) } });
  return {
    ...container,
    startupProbe: { ...probe('started'), ...STARTUP },
    livenessProbe: { ...probe('alive'), ...LIVENESS },
    readinessProbe: { ...probe('ready'), ...READINESS },
  };
}

/** Returns the kind of health of a container that has probes of it. */
export function healthKindOf({ livenessProbe }: Container): HealthKind | undefined {
  const [program, , kind] = livenessProbe?.exec?.command ?? [];
  return program === PROGRAM ? (kind as HealthKind) : undefined;
}

/** Returns the annotations of a pod with which the runtime gives its containers their health. */
export function healthAnnotations(containers: readonly Container[] = []): Record<string, string> {
  return Object.fromEntries(
    containers.flatMap((container) => {
      const kind = healthKindOf(container);
      return kind === undefined ? [] : [[`${SCRIPT_ANNOTATION_PREFIX}${container.name}`, JSON.stringify(script(kind))]];
    }),
  );
}

const PROGRAM = 'check';
type ProbeName = 'started' | 'alive' | 'ready';

function commandOf(what: ProbeName, kind: HealthKind): readonly string[] {
  return [PROGRAM, what, kind];
}

function script(kind: HealthKind): BehaviourScript {
  return { attempts: HEALTH[kind].map((health) => behaviour(kind, health)) };
}

function behaviour(kind: HealthKind, { startsAt = 0, dead, unready }: InstanceHealth): Behaviour {
  const results = (...failing: readonly ({ readonly from: number; readonly to: number } | undefined)[]): Results =>
    failing
      .flatMap((time) =>
        time === undefined
          ? []
          : [
              { afterSeconds: time.from, exitCode: 1 },
              { afterSeconds: time.to, exitCode: 0 },
            ],
      )
      .filter(({ afterSeconds }) => afterSeconds !== Infinity);
  const starting = { from: 0, to: startsAt };
  return {
    exec: [
      { command: commandOf('started', kind), results: results(starting) },
      { command: commandOf('alive', kind), results: results(starting, dead) },
      { command: commandOf('ready', kind), results: results(starting, unready, dead) },
    ],
  };
}

type Results = { readonly afterSeconds: number; readonly exitCode: number }[];
