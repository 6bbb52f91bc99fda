import type { DeviceAmounts, NodeDevices, NodeObject, NodeResources } from '@rxlet/agent-api/node';
import type { RuntimeService } from '@rxlet/cri-api';
import type { Node, Taint } from '@rxlet/kube-api';
import { type Machine, machineCapacity, type MachineFacts } from '@rxlet/machine';
import { quantityValue } from '@rxlet/pod-model/quantity';

/** Options of {@link createLocalNode}, by the names of KubeletConfiguration. */
export interface LocalNodeOptions {
  /** Greatest number of pods. Default 110. */
  readonly maxPods?: number | undefined;
  /** Greatest number of pods for each CPU, within `maxPods`; 0 means no limit. Default 0. */
  readonly podsPerCore?: number | undefined;
  readonly registerWithTaints?: readonly Taint[] | undefined;
  /** Labels beside those of name, operating system and architecture (kubelet flag `--node-labels`). */
  readonly nodeLabels?: Readonly<Record<string, string>> | undefined;
  /** Whether ephemeral storage is a resource of the node. Default true. */
  readonly localStorageCapacityIsolation?: boolean | undefined;
}

/** Ports of {@link createLocalNode}. */
export interface LocalNodePorts {
  readonly name: string;
  readonly rootDirectory: string;
  readonly runtime: Pick<RuntimeService, 'status'>;
  readonly machine: Machine;
  /** Default: the whole machine. */
  readonly resources?: NodeResources | undefined;
  /** Devices of plugins. Default: none. */
  readonly devices?: Pick<NodeDevices, 'amounts'> | undefined;
}

/** Node object of an agent for which no module manages one. */
export interface LocalNode extends NodeObject {
  /** Reads the facts of the machine and the features of its runtime. Rejects when the runtime does not answer. */
  load(signal: AbortSignal): Promise<void>;
}

const DEFAULT_MAX_PODS = 110;

interface LoadedFacts {
  readonly facts: MachineFacts;
  readonly ephemeralStorageBytes: number;
  readonly supplementalGroupsPolicy: boolean;
}

/** Creates the Node object that a kubelet would register on this machine, as far as admission depends on it. */
export function createLocalNode(ports: LocalNodePorts, options: LocalNodeOptions = {}): LocalNode {
  let loaded: LoadedFacts | undefined;
  const cached = (): Node => {
    if (loaded === undefined) throw new TypeError('the node is not known before the agent is started');
    const { facts, supplementalGroupsPolicy } = loaded;
    return {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: ports.name, labels: nodeLabels(ports.name, facts, options) },
      spec: { taints: options.registerWithTaints ?? [] },
      status: {
        allocatable: {
          ...allocatable(ports.resources?.allocatable() ?? wholeMachine(loaded), facts, options),
          ...deviceAmounts(ports.devices?.amounts()),
        },
        features: { supplementalGroupsPolicy },
      },
    };
  };
  return {
    cached,
    read: async () => cached(),
    async load(signal) {
      const { features } = await ports.runtime.status({}, { signal });
      loaded = {
        facts: await ports.machine.facts(),
        ephemeralStorageBytes: await ports.machine.fileSystemBytes(ports.rootDirectory),
        supplementalGroupsPolicy: features?.supplementalGroupsPolicy ?? false,
      };
    },
  };
}

/** Returns the healthy devices. Those of a plugin that is gone are none. */
function deviceAmounts({ allocatable, removed }: Partial<DeviceAmounts> = {}): Readonly<Record<string, string>> {
  return { ...Object.fromEntries((removed ?? []).map((name) => [name, '0'])), ...allocatable };
}

function nodeLabels(name: string, { architecture }: MachineFacts, { nodeLabels = {} }: LocalNodeOptions) {
  return {
    'beta.kubernetes.io/arch': architecture,
    'beta.kubernetes.io/os': 'linux',
    'kubernetes.io/arch': architecture,
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': 'linux',
    ...nodeLabels,
  };
}

function wholeMachine({ facts, ephemeralStorageBytes }: LoadedFacts): Readonly<Record<string, string>> {
  const reserved = facts.hugePages.reduce((sum, { sizeBytes, count }) => sum + sizeBytes * count, 0);
  const amounts = Object.entries(machineCapacity(facts));
  return {
    ...Object.fromEntries(amounts.map(([resource, amount]) => [resource, String(quantityValue(amount))])),
    memory: String(Math.max(0, facts.memoryBytes - reserved)),
    'ephemeral-storage': String(ephemeralStorageBytes),
  };
}

function allocatable(
  { 'ephemeral-storage': storage, ...others }: Readonly<Record<string, string>>,
  { cores }: MachineFacts,
  { maxPods = DEFAULT_MAX_PODS, podsPerCore = 0, localStorageCapacityIsolation = true }: LocalNodeOptions,
): Readonly<Record<string, string>> {
  return {
    ...others,
    ...(storage !== undefined && localStorageCapacityIsolation && { 'ephemeral-storage': storage }),
    pods: String(podsPerCore > 0 ? Math.min(maxPods, podsPerCore * cores) : maxPods),
  };
}
