import type {
  NodeDevices,
  NodeResources,
  NodeStatusContribution,
  NodeStatusSetter,
  RuntimeHealth,
} from '@rxlet/agent-api/node';
import { type Clock, errorMessage, type Logger, withDeadline } from '@rxlet/component-base';
import type { ImageService, RuntimeService } from '@rxlet/cri-api';
import type { Node } from '@rxlet/kube-api';
import type { Machine } from '@rxlet/machine';
import { formatQuantity, isZeroQuantity, parseQuantity, subtractQuantities } from '@rxlet/pod-model/quantity';
import { nodeAllocatableReservation, type NodeReservations, type ResourceList } from '@rxlet/pod-model/resources';
import type { DeviceResources, NodeMachine, NodeSettings, NodeStatusInputs } from './node-status-inputs.ts';
import { printRuntimeVersion } from './runtime-version.ts';
import { isExtendedResource, isHugePageResource } from './resource-names.ts';
import { pressureCondition, pressureTypes } from '@rxlet/pod-model/eviction-thresholds';
import { binaryQuantity, machineCapacity } from './setters/node-resources.ts';

/** Reads everything that a node status is computed from. */
export interface NodeInputs {
  /** Reads the inputs for the status of `node`. Never rejects for a part that cannot be read: the status then reports that. */
  read(node: Node, signal: AbortSignal): Promise<NodeStatusInputs>;
}

/** Ports of {@link createNodeInputs}. */
export interface NodeInputsPorts {
  readonly machine: Machine;
  readonly runtime: Pick<RuntimeService, 'version'>;
  readonly images: Pick<ImageService, 'listImages'>;
  readonly health: Pick<RuntimeHealth, 'problems' | 'handlers' | 'features'>;
  /** Resources as another part of the agent manages them. Default: those of the machine, less the reservations. */
  readonly resources?: NodeResources | undefined;
  /** Devices of plugins. Default: none beside those of {@link NodeInputsPorts.resources}. */
  readonly devices?: Pick<NodeDevices, 'amounts'> | undefined;
  /** Setters of other parts of the agent. */
  readonly setters: () => readonly NodeStatusSetter[];
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Options of {@link createNodeInputs}. */
export interface NodeInputsOptions {
  readonly settings: NodeSettings;
  /** Directory whose file system is the node's ephemeral storage. */
  readonly rootDirectory: string;
  readonly reservations?: NodeReservations | undefined;
  /** Whether the status lists images. Default true. */
  readonly listImages?: boolean | undefined;
}

/** Age at which facts about the machine are read again. */
const FACTS_PERIOD_MS = 300_000;
/** Age at which the images are listed again. */
const IMAGES_PERIOD_MS = 30_000;
/** Deadline of each call, so that a status is never late because the runtime hangs. */
const CALL_TIMEOUT_MS = 5_000;
const NO_DEVICES: DeviceResources = { capacity: {}, allocatable: {}, removed: [] };

/** Creates {@link NodeInputs}. */
export function createNodeInputs(ports: NodeInputsPorts, options: NodeInputsOptions): NodeInputs {
  const { machine, runtime, images, health, clock, logger } = ports;
  const { settings, rootDirectory } = options;
  const problems = new Map<string, string>();
  let runtimeName = '';

  /** Logs a problem when it appears, not each time. */
  const logProblem = (subject: string, error: unknown): void => {
    const problem = error === undefined ? '' : errorMessage(error);
    if ((problems.get(subject) ?? '') === problem) return;
    problems.set(subject, problem);
    if (problem !== '') logger.warn(`cannot read ${subject} for the node status`, { error: problem });
  };
  const attempt = async <T>(
    subject: string,
    signal: AbortSignal,
    read: (signal: AbortSignal) => Promise<T>,
  ): Promise<T | undefined> => {
    try {
      const value = await withDeadline(clock, CALL_TIMEOUT_MS, signal, read);
      logProblem(subject, undefined);
      return value;
    } catch (error) {
      signal.throwIfAborted();
      logProblem(subject, error);
      return undefined;
    }
  };
  const factsOf = keepFor(clock, FACTS_PERIOD_MS, (signal) => attempt('the machine', signal, () => machine.facts()));
  const imagesOf = keepFor(clock, IMAGES_PERIOD_MS, (signal) =>
    attempt('the images', signal, async () => (await images.listImages({}, { signal })).images),
  );
  const storageOf = keepFor(clock, FACTS_PERIOD_MS, (signal) =>
    attempt('the ephemeral storage', signal, () => machine.fileSystemBytes(rootDirectory)),
  );
  const contributions = (node: Node): Contribution[] =>
    ports.setters().flatMap((setter) => {
      try {
        const contribution = setter.contribute(node);
        logProblem(`the part of "${setter.name}"`, undefined);
        return [{ setter, contribution }];
      } catch (error) {
        logProblem(`the part of "${setter.name}"`, error);
        return [];
      }
    });

  return {
    async read(node, signal) {
      const [facts, storageBytes, listed, version, addresses] = await Promise.all([
        factsOf(signal),
        storageOf(signal),
        options.listImages === false ? [] : imagesOf(signal),
        attempt('the version of the runtime', signal, async () => runtime.version({ version: '0.1.0' }, { signal })),
        attempt('the addresses', signal, () => machine.addresses()),
      ]);
      runtimeName = version?.runtimeName ?? runtimeName;
      const parts = contributions(node);
      return {
        settings: { ...settings, declaredFeatures: declaredFeatures(settings, parts) },
        nowMs: clock.now(),
        // Name servers are not asked: a slow one would delay every status, and they may know the name of another machine.
        addresses: { ...(addresses ?? { hostIps: [], defaultRouteIps: {} }), nameIps: [] },
        machine: facts,
        ephemeralStorageBytes: storageBytes,
        ...withDevices(resourcesOf(ports.resources, facts, storageBytes, options), ports.devices),
        runtime: {
          name: runtimeName,
          version: printRuntimeVersion(version?.runtimeVersion ?? ''),
          handlers: health.handlers(),
          features: health.features(),
        },
        images: listed,
        conditions: conditionsOf(parts),
        notReady: [...health.problems(), ...parts.flatMap(({ contribution }) => contribution.notReady ?? [])],
        warnings: parts.flatMap(({ contribution }) => contribution.warning ?? []),
        fields: Object.assign({}, ...parts.map(ownFields)) as NodeStatusInputs['fields'],
      };
    },
  };
}

interface Contribution {
  readonly setter: NodeStatusSetter;
  readonly contribution: NodeStatusContribution;
}

/** Returns the features of the node and of its modules, in the order of the kubelet. */
function declaredFeatures(settings: NodeSettings, parts: readonly Contribution[]): readonly string[] {
  const contributed = parts.flatMap(({ contribution }) => contribution.declaredFeatures ?? []);
  return [...new Set([...settings.declaredFeatures, ...contributed])].sort();
}

function ownFields({ setter, contribution }: Contribution): object {
  const { status = {} } = contribution;
  const owned = (setter.fields ?? []).filter((field) => status[field] !== undefined);
  return Object.fromEntries(owned.map((field) => [field, status[field]] as const));
}

/** Returns the conditions of all parts. The kubelet's conditions of pressure come first; without an owner there is no pressure. */
function conditionsOf(parts: readonly Contribution[]): NodeStatusInputs['conditions'] {
  const contributed = parts.flatMap(({ setter, contribution }) =>
    (contribution.conditions ?? []).filter(({ type }) => (setter.conditionTypes ?? []).includes(type)),
  );
  const owners = new Set(parts.flatMap(({ setter }) => setter.conditionTypes ?? []));
  const pressure = pressureTypes.flatMap((type) => {
    const found = contributed.filter((condition) => condition.type === type);
    return found.length > 0 || owners.has(type) ? found : [pressureCondition(type, false)];
  });
  const others = contributed.filter(({ type }) => !(pressureTypes as readonly string[]).includes(type));
  return [...pressure, ...others];
}

function resourcesOf(
  managed: NodeResources | undefined,
  facts: NodeMachine | undefined,
  storageBytes: number | undefined,
  { settings, reservations }: NodeInputsOptions,
): Pick<NodeStatusInputs, 'reservation' | 'devices'> {
  if (managed !== undefined) return managedResources(managed);
  if (facts === undefined) return { reservation: {}, devices: NO_DEVICES };
  const { localStorageIsolation = true } = settings;
  const capacity = {
    ...machineCapacity(facts),
    ...(localStorageIsolation && storageBytes !== undefined && { 'ephemeral-storage': binaryQuantity(storageBytes) }),
  };
  return { reservation: nodeAllocatableReservation(capacity, reservations ?? {}), devices: NO_DEVICES };
}

function withDevices(
  { reservation, devices }: Pick<NodeStatusInputs, 'reservation' | 'devices'>,
  ofPlugins: Pick<NodeDevices, 'amounts'> | undefined,
): Pick<NodeStatusInputs, 'reservation' | 'devices'> {
  if (ofPlugins === undefined) return { reservation, devices };
  const { capacity, allocatable, removed } = ofPlugins.amounts();
  return {
    reservation,
    devices: {
      capacity: { ...devices.capacity, ...capacity },
      allocatable: { ...devices.allocatable, ...allocatable },
      removed: [...devices.removed, ...removed],
    },
  };
}

/** Returns the resources of the container manager: what it reserves, and the resources of its devices. */
export function managedResources(managed: NodeResources): Pick<NodeStatusInputs, 'reservation' | 'devices'> {
  const [capacity, allocatable] = [managed.capacity(), managed.allocatable()];
  const select = (list: ResourceList, extended: boolean): [string, string][] =>
    Object.entries(list).filter(([name]) => isExtendedResource(name) === extended);
  // Huge pages are set aside by the setter of the status.
  const hugePages = Object.entries(capacity).flatMap(([name, total]) => (isHugePageResource(name) ? [total] : []));
  const reservation = select(capacity, false).flatMap(([name, total]) => {
    const taken = [allocatable[name] ?? total, ...(name === 'memory' ? hugePages : [])];
    const reserved = taken.map((amount) => parseQuantity(amount)).reduce(subtractQuantities, parseQuantity(total));
    return isZeroQuantity(reserved) ? [] : [[name, formatQuantity(reserved)] as const];
  });
  return {
    reservation: Object.fromEntries(reservation),
    devices: {
      capacity: Object.fromEntries(select(capacity, true)),
      allocatable: Object.fromEntries(select(allocatable, true)),
      removed: [],
    },
  };
}

/** Returns a function that keeps the last value of `read` for a while. A failure is not kept: it returns the last value, and reads again next time. */
function keepFor<T>(
  clock: Clock,
  periodMs: number,
  read: (signal: AbortSignal) => Promise<T | undefined>,
): (signal: AbortSignal) => Promise<T | undefined> {
  let value: T | undefined;
  let readMs = -Infinity;
  return async (signal) => {
    if (clock.monotonicNow() - readMs < periodMs) return value;
    const current = await read(signal);
    if (current === undefined) return value;
    readMs = clock.monotonicNow();
    value = current;
    return value;
  };
}
