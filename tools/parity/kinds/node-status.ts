import type { Image } from '@rxlet/cri-api';
import type { Node, Taint } from '@rxlet/kube-api';
import { findStartProblems } from '@rxlet/kubelet-config';
import {
  initialNode,
  isReportDue,
  machineCapacity,
  type NodeMachine,
  NodeIpError,
  nodeStatusEvent,
  type NodeStatusInputs,
  parseNodeIps,
  reconcileNode,
  setNodeStatus,
  updateNode,
} from '@rxlet/node-status';
import { pressureCondition } from '@rxlet/pod-model/eviction-thresholds';
import { parseQuantity, quantityMilliValue } from '@rxlet/pod-model/quantity';
import { nodeAllocatableReservation, overcommittedReservations } from '@rxlet/pod-model/resources';
import type { Answer } from '../vector-kind.ts';

type Quantities = Readonly<Record<string, string>>;

interface RuntimeVector {
  readonly type: string;
  readonly version: string | null;
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: boolean;
    readonly reason?: string;
    readonly message?: string;
  }[];
  readonly handlers?: readonly {
    readonly name: string;
    readonly recursiveReadOnlyMounts: boolean;
    readonly userNamespaces: boolean;
  }[];
  readonly features?: { readonly supplementalGroupsPolicy: boolean };
  readonly lastOkSecondsAgo: number;
  readonly plegError?: string;
}

interface NodeStatusVector {
  readonly input: {
    readonly op: 'register' | 'registerExisting' | 'update';
    readonly now: string;
    readonly hostnameOverride: string;
    readonly nodeIP?: string;
    readonly cloudProvider?: string;
    readonly hostIPs: readonly string[];
    readonly defaultRouteIPs: { readonly v4?: string; readonly v6?: string };
    readonly machine: {
      readonly numCores: number;
      readonly memoryBytes: number;
      readonly swapBytes: number;
      readonly hugePages?: readonly { readonly num: number; readonly pageSizeKiB: number }[];
      readonly machineID: string;
      readonly systemUUID: string;
      readonly bootID: string;
    };
    readonly rootfsBytes: number;
    readonly kernelVersion: string;
    readonly osImage: string;
    readonly runtime: RuntimeVector;
    readonly config: {
      readonly enableControllerAttachDetach: boolean;
      readonly localStorageCapacityIsolation: boolean;
      readonly maxPods: number;
      readonly podsPerCore: number;
      readonly nodeStatusMaxImages: number;
      readonly nodeStatusReportFrequencySeconds: number;
      readonly port: number;
      readonly providerID?: string;
      readonly registerWithTaints?: readonly Taint[];
      readonly evictionHard?: Quantities;
      readonly kubeReserved?: Quantities;
      readonly systemReserved?: Quantities;
    };
    readonly nodeLabels?: Quantities;
    readonly images: readonly {
      readonly id: string;
      readonly repoTags?: readonly string[];
      readonly repoDigests?: readonly string[];
      readonly size: number;
    }[];
    readonly volumesInUse: readonly string[];
    readonly volumesSynced: boolean;
    readonly devices: {
      readonly capacity?: Quantities;
      readonly allocatable?: Quantities;
      readonly removed?: readonly string[];
    };
    readonly pressure: { readonly memory: boolean; readonly disk: boolean; readonly pid: boolean };
    readonly softRequirementsError?: string;
    readonly shutdownError?: string;
    readonly resetExtendedResources?: boolean;
    readonly knownPodCIDR?: string;
    readonly lastStatusReportTime?: string;
    readonly previous?: Node;
  };
  readonly want: {
    readonly node?: Node;
    readonly events?: readonly unknown[];
    readonly setterErrors?: readonly string[];
    readonly requiresUpdate?: boolean;
    readonly changed?: boolean;
    readonly mustSend?: boolean;
    readonly error?: string;
  };
}

/** Features that a kubelet 1.36 declares with its default gates. */
const DECLARED_FEATURES = [
  'ExtendWebSocketsToKubelet',
  'InPlacePodLevelResourcesVerticalScaling',
  'InPlacePodVerticalScalingInitContainers',
  'RestartAllContainersOnContainerExits',
];
const MAX_RUNTIME_SILENCE_SECONDS = 30;

/** Returns the Node object at registration or at an update, or that the node does not start. */
export function run({ input, want }: NodeStatusVector): Answer {
  return { got: comparable(answer(input)), want: comparable(want) };
}

function answer(input: NodeStatusVector['input']): NodeStatusVector['want'] {
  try {
    const inputs = toInputs(input);
    const { settings, nowMs } = inputs;
    const initial = initialNode(settings);
    if (input.op === 'update') {
      const { node, events, errors, changed } = updateNode(input.previous!, inputs, {
        knownPodCidr: input.knownPodCIDR ?? '',
      });
      const lastReportMs =
        input.lastStatusReportTime === undefined ? undefined : Date.parse(input.lastStatusReportTime);
      const periodMs = input.config.nodeStatusReportFrequencySeconds * 1000;
      const mustSend = changed || isReportDue({ lastReportMs, delayMs: 0, periodMs }, nowMs);
      const schedulable =
        node.spec?.unschedulable === true ? [nodeStatusEvent(settings.name, 'NodeNotSchedulable')] : [];
      return { node, events: [...events, ...schedulable], setterErrors: errors, changed, mustSend };
    }
    const { node, events, errors } = setNodeStatus(initial, inputs);
    if (input.op === 'register') return { node, events, setterErrors: errors };
    const reconciled = reconcileNode(node, input.previous!, {
      resetExtendedResources: input.resetExtendedResources === true,
    });
    return { node: reconciled, requiresUpdate: reconciled !== input.previous };
  } catch (error) {
    if (!(error instanceof NodeIpError || error instanceof StartError)) throw error;
    return { error: error.message };
  }
}

class StartError extends Error {}

function toInputs(input: NodeStatusVector['input']): NodeStatusInputs {
  const { config, runtime, pressure, devices } = input;
  const name = input.hostnameOverride.trim().toLowerCase();
  if (name === '') throw new StartError('empty hostname is invalid');
  const [problem] = findStartProblems(config);
  if (problem !== undefined) throw new StartError(problem.message);
  const machine: NodeMachine = {
    cores: input.machine.numCores,
    memoryBytes: input.machine.memoryBytes,
    swapBytes: input.machine.swapBytes,
    hugePages: (input.machine.hugePages ?? []).map(({ num, pageSizeKiB }) => ({
      count: num,
      sizeBytes: pageSizeKiB * 1024,
    })),
    machineId: input.machine.machineID,
    systemUuid: input.machine.systemUUID,
    bootId: input.machine.bootID,
    kernelVersion: input.kernelVersion,
    osImage: input.osImage,
  };
  const capacity = {
    ...machineCapacity(machine),
    ...(config.localStorageCapacityIsolation && { 'ephemeral-storage': String(input.rootfsBytes) }),
  };
  const reservation = nodeAllocatableReservation(capacity, config);
  if (overcommittedReservations(capacity, reservation).length > 0)
    throw new StartError('invalid Node Allocatable configuration');
  const isRuntimeReady = runtime.conditions?.find(({ type }) => type === 'RuntimeReady')?.status === true;
  return {
    settings: {
      name,
      nodeIps: parseNodeIps(input.nodeIP ?? ''),
      externalCloudProvider: input.cloudProvider === 'external',
      providerId: config.providerID,
      labels: input.nodeLabels,
      taints: config.registerWithTaints,
      controllerAttachDetach: config.enableControllerAttachDetach,
      maxPods: config.maxPods,
      podsPerCore: config.podsPerCore,
      kubeletPort: config.port,
      maxImages: config.nodeStatusMaxImages,
      localStorageIsolation: config.localStorageCapacityIsolation,
      operatingSystem: 'linux',
      architecture: 'amd64',
      kubeletVersion: 'v1.36.2',
      declaredFeatures: DECLARED_FEATURES,
    },
    nowMs: Date.parse(input.now),
    addresses: { hostIps: input.hostIPs, nameIps: [], defaultRouteIps: input.defaultRouteIPs },
    machine,
    ephemeralStorageBytes: input.rootfsBytes,
    reservation,
    devices: {
      capacity: devices.capacity ?? {},
      allocatable: devices.allocatable ?? {},
      removed: devices.removed ?? [],
    },
    runtime: {
      name: runtime.type,
      version: runtime.version ?? undefined,
      handlers: isRuntimeReady ? (runtime.handlers ?? []).map(toHandler) : [],
      features: isRuntimeReady ? runtime.features : undefined,
    },
    images: input.images.map(({ id, repoTags = [], repoDigests = [], size }) => ({
      id,
      repoTags: [...repoTags],
      repoDigests: [...repoDigests],
      size: BigInt(size),
    })) satisfies Pick<Image, 'id' | 'repoTags' | 'repoDigests' | 'size'>[],
    conditions: [
      pressureCondition('MemoryPressure', pressure.memory),
      pressureCondition('DiskPressure', pressure.disk),
      pressureCondition('PIDPressure', pressure.pid),
    ],
    notReady: [
      ...runtimeProblems(runtime, isRuntimeReady),
      ...(input.shutdownError === undefined ? [] : [input.shutdownError]),
    ],
    warnings: input.softRequirementsError === undefined ? [] : [input.softRequirementsError],
    fields: input.volumesSynced ? { volumesInUse: input.volumesInUse } : {},
  };
}
type Handler = NodeStatusInputs['runtime']['handlers'][number];

function toHandler({
  name,
  recursiveReadOnlyMounts,
  userNamespaces,
}: NonNullable<RuntimeVector['handlers']>[number]): Handler {
  return { name, features: { recursiveReadOnlyMounts, userNamespaces } };
}

function runtimeProblems(runtime: RuntimeVector, isReady: boolean): string[] {
  const silent = 'container runtime status check may not have completed yet';
  const down = runtime.lastOkSecondsAgo >= MAX_RUNTIME_SILENCE_SECONDS ? ['container runtime is down'] : [];
  return [
    ...(isReady ? down : [silent]),
    ...(runtime.plegError === undefined ? [] : [`PLEG is not healthy: ${runtime.plegError}`]),
    ...conditionProblem(runtime, 'RuntimeReady', 'container runtime not ready'),
    ...conditionProblem(runtime, 'NetworkReady', 'container runtime network not ready'),
  ];
}

function conditionProblem({ conditions = [] }: RuntimeVector, type: string, what: string): string[] {
  const condition = conditions.find((one) => one.type === type);
  if (condition?.status === true) return [];
  const { reason = '', message = '' } = condition ?? {};
  return [`${what}: ${condition === undefined ? '<nil>' : `${type}=false reason:${reason} message:${message}`}`];
}

/** Quantities are compared by value, and absent fields are those of Go's zero values. */
function comparable(answer: NodeStatusVector['want']): unknown {
  const { node, error, events = [], setterErrors = [], ...flags } = answer;
  if (error !== undefined) return { error: true };
  return withoutEmpty({
    ...flags,
    events,
    setterErrors,
    node: {
      ...node,
      status: {
        ...node?.status,
        capacity: byValue(node?.status?.capacity),
        allocatable: byValue(node?.status?.allocatable),
      },
    },
  });
}

function byValue(resources: Readonly<Record<string, string | number>> = {}): object {
  return Object.fromEntries(
    Object.entries(resources).map(
      ([name, amount]) => [name, String(quantityMilliValue(parseQuantity(amount)))] as const,
    ),
  );
}

function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null) return value === '' || value === null ? undefined : value;
  const entries = Object.entries(value).flatMap(([key, item]) => {
    const kept = withoutEmpty(item);
    return kept === undefined ? [] : [[key, kept] as const];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
