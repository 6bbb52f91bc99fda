import type { Container, PodResourceClaim, PodSpec, Quantity } from '@rxlet/kube-api';
import { type HealthKind, withHealth } from './health.ts';
import { type RestartRule, withRestartRule } from './restart-rules.ts';

/** Fields of a pod that parts of the world need. */
export interface PodExtras {
  /** Requests of the first container: CPU in thousandths, and memory. */
  readonly cpuMillis?: number;
  readonly memoryMi?: number;
  /** Whether its limits equal its requests, so that a pod with one container is Guaranteed. */
  readonly isGuaranteed?: boolean;
  /** Memory of each other container, whose CPU is small. Their limits equal their requests, so that also a pod with several containers is Guaranteed. */
  readonly othersMemoryMi?: number;
  readonly priority?: number;
  readonly graceSeconds?: number;
  /** Whether its containers ignore SIGTERM. */
  readonly isStubborn?: boolean;
  /** Devices of the first container. */
  readonly devices?: number;
  /** ResourceClaims of the first container. */
  readonly claims?: readonly ClaimKind[];
  /** Health of the first container, if that runs for ever. It has probes. */
  readonly health?: HealthKind;
  /** Time for which it may be active. */
  readonly deadlineSeconds?: number;
  /** Rule by which the first container restarts, if that runs for ever. */
  readonly restartRule?: RestartRule;
  /** Whether the image of a container is pulled at each start. */
  readonly pullsAlways?: boolean;
}

/** The extended resource of the device plugin. */
export const DEVICE_RESOURCE = 'example.com/device';

/** Kinds of ResourceClaims: one of the pod, by a template, or one that pods share. The kind is the name in the specs of pods. */
export type ClaimKind = 'own' | 'shared';

/** DRA drivers by the claims that are allocated by them. */
export const CLAIM_DRIVERS: Readonly<Record<ClaimKind, string>> = {
  own: 'gpu.example.com',
  shared: 'nic.example.com',
};

/** Grace periods of a shutdown by priority. */
export const SHUTDOWN_GROUPS = [
  { priority: 0, gracePeriodSeconds: 10 },
  { priority: 1_000, gracePeriodSeconds: 6 },
  { priority: 2_000_000_000, gracePeriodSeconds: 4 },
] as const;

/** A change of a part of the world. */
export type PartStep = ResizeStep | PressureStep | DevicesStep | ClaimsStep | DebugStep | RegistryStep;

/** A user resizes the first container of a pod. */
export interface ResizeStep {
  readonly do: 'resize';
  readonly name: string;
  readonly cpuMillis: number;
  readonly memoryMi: number;
}

/** The machine runs short of a resource for a while. A pod uses more memory than others meanwhile. */
export interface PressureStep {
  readonly do: 'pressure';
  readonly signal: 'memory' | 'disk' | 'pid';
  readonly ms: number;
  readonly greedy: string;
}

/** For a while, a device is not healthy, the device plugin is gone, or it does not answer. */
export interface DevicesStep {
  readonly do: 'devices';
  readonly trouble: 'sick' | 'dead' | 'hanging';
  readonly index: number;
  readonly ms: number;
}

/**
 * For a while, a DRA driver is gone, with its socket or without (`crashed`), it does not answer, its calls fail, or they have their effect and an error as their answer
 * (`losing`).
 */
export interface ClaimsStep {
  readonly do: 'claims';
  /** Claims of the driver. */
  readonly of: ClaimKind;
  readonly trouble: 'dead' | 'crashed' | 'hanging' | 'failing' | 'losing';
  readonly ms: number;
}

/** A user adds an ephemeral container to a pod, as `kubectl debug` does: one that ends after a while, or that runs as long as the pod. */
export interface DebugStep {
  readonly do: 'debug';
  readonly name: string;
  readonly container: string;
  readonly isEnding: boolean;
}

/** For a while, pulls of images fail, or take long. */
export interface RegistryStep {
  readonly do: 'registry';
  readonly trouble: 'away' | 'slow';
  readonly ms: number;
}

/** The machine is turned off, and on after a pause. */
export type PowerStep =
  | { readonly do: 'power-failure'; readonly pauseMs: number }
  /** It waits until the agent has ended the pods, or for another program that delays it as well. The shutdown may be cancelled after a while. */
  | {
      readonly do: 'shutdown';
      readonly pauseMs: number;
      readonly heldMs?: number;
      readonly cancelledMs?: number;
    };

/** Returns a spec with the fields that parts need. */
export function withExtras(spec: PodSpec, extras: PodExtras): PodSpec {
  const { cpuMillis, memoryMi, isGuaranteed = false, othersMemoryMi, priority, graceSeconds } = extras;
  const {
    isStubborn = false,
    devices = 0,
    claims = [],
    health,
    deadlineSeconds,
    restartRule,
    pullsAlways = false,
  } = extras;
  const amounts: ResourceList | undefined =
    cpuMillis !== undefined && memoryMi !== undefined ? amountsOf(cpuMillis, memoryMi) : undefined;
  const held: ResourceList = devices > 0 ? { [DEVICE_RESOURCE]: String(devices) } : {};
  const limits: ResourceList = { ...(isGuaranteed && amounts), ...held };
  const [first, ...others] = spec.containers;
  const limited = (container: Container): Container => {
    if (othersMemoryMi === undefined) return container;
    const own = amountsOf(OTHERS_CPU_MILLIS, othersMemoryMi);
    return { ...container, resources: { requests: own, limits: own } };
  };
  const pulled = (container: Container): Container =>
    pullsAlways ? { ...container, imagePullPolicy: 'Always' } : container;
  const runsForEver = first!.command?.join() === 'serve';
  const app = {
    ...(health !== undefined && runsForEver ? withHealth(first!, health) : first!),
    ...((amounts !== undefined || devices > 0 || claims.length > 0) && {
      resources: {
        requests: { ...amounts, ...held },
        ...(Object.keys(limits).length > 0 && { limits }),
        ...(claims.length > 0 && { claims: claims.map((name) => ({ name })) }),
      },
    }),
    ...(isStubborn && runsForEver && { command: STUBBORN }),
    ...(restartRule !== undefined && runsForEver && withRestartRule(restartRule)),
  };
  return {
    ...spec,
    containers: [app, ...others.map(limited)].map(pulled),
    ...(spec.initContainers && { initContainers: spec.initContainers.map(limited).map(pulled) }),
    ...(priority !== undefined && { priority }),
    ...(deadlineSeconds !== undefined && { activeDeadlineSeconds: deadlineSeconds }),
    ...(graceSeconds !== undefined && { terminationGracePeriodSeconds: graceSeconds }),
    ...(claims.length > 0 && { resourceClaims: claims.map((kind) => CLAIM_ENTRIES[kind]) }),
  };
}

const OTHERS_CPU_MILLIS = 100;
const CLAIM_ENTRIES: Readonly<Record<ClaimKind, PodResourceClaim>> = {
  own: { name: 'own', resourceClaimTemplateName: 'own' },
  shared: { name: 'shared', resourceClaimName: 'shared' },
};

const STUBBORN = ['sh', '-c', "trap '' TERM; sleep infinity"];

type ResourceList = Readonly<Record<string, Quantity>>;

function amountsOf(cpuMillis: number, memoryMi: number): ResourceList {
  return { cpu: `${String(cpuMillis)}m`, memory: `${String(memoryMi)}Mi` };
}

/** Returns the containers after a resize of the first one. Its limits remain equal to its requests, if they were: the class of a pod never changes. */
export function resizedContainers(
  containers: readonly Container[],
  { cpuMillis, memoryMi }: ResizeStep,
): readonly Container[] {
  const [first, ...others] = containers;
  const amounts = amountsOf(cpuMillis, memoryMi);
  const { requests, limits } = first!.resources ?? {};
  const resources = {
    ...first!.resources,
    requests: { ...requests, ...amounts },
    ...(limits && { limits: { ...limits, ...(limits['cpu'] !== undefined && amounts) } }),
  };
  return [{ ...first!, resources }, ...others];
}
