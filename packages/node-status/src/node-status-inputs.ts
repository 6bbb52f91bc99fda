import type { NodeConditionState, NodeStatusContribution } from '@rxlet/agent-api/node';
import type { Image, RuntimeFeatures, RuntimeHandler } from '@rxlet/cri-api';
import type { Taint } from '@rxlet/kube-api';
import type { MachineAddresses, MachineFacts } from '@rxlet/machine';
import type { ResourceList } from '@rxlet/pod-model/resources';

/** Settings of the Node object that do not change while the agent runs. */
export interface NodeSettings {
  /** Name of the Node object. */
  readonly name: string;
  /** Value of the label `kubernetes.io/hostname` and of the address of type Hostname. Default: the name. */
  readonly hostname?: string | undefined;
  /** Addresses of `--node-ip` (see `parseNodeIps`). Default: none. */
  readonly nodeIps?: readonly string[] | undefined;
  /** Whether an external cloud provider initialises the node and sets its addresses (`--cloud-provider external`). Default false. */
  readonly externalCloudProvider?: boolean | undefined;
  readonly providerId?: string | undefined;
  /** Labels of a new Node object (`--node-labels`). */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Taints of a new Node object (`--register-with-taints`). */
  readonly taints?: readonly Taint[] | undefined;
  /** Whether a new Node object is open to the scheduler (`--register-schedulable`). Default true. */
  readonly schedulable?: boolean | undefined;
  /** Whether the attach-detach controller of the control plane attaches volumes. Default true. */
  readonly controllerAttachDetach?: boolean | undefined;
  /** Default 110. */
  readonly maxPods?: number | undefined;
  /** Pods for each core; 0 for no limit but {@link maxPods}. Default 0. */
  readonly podsPerCore?: number | undefined;
  /** Port of the agent's HTTPS server. Default 10250. */
  readonly kubeletPort?: number | undefined;
  /** Number of images in the status, -1 for all. Default 50. */
  readonly maxImages?: number | undefined;
  /** Whether ephemeral storage is a resource of the node. Default true. */
  readonly localStorageIsolation?: boolean | undefined;
  /** Operating system in the words of Go: `linux`. */
  readonly operatingSystem: string;
  /** Architecture in the words of Go: `amd64`, `arm64`. */
  readonly architecture: string;
  /** Version that the node reports as its kubelet's. */
  readonly kubeletVersion: string;
  /** Features that the scheduler may rely on (`status.declaredFeatures`), sorted. */
  readonly declaredFeatures: readonly string[];
}

/** Facts about a machine that a Node object shows. */
export type NodeMachine = Omit<MachineFacts, 'architecture' | 'cpus' | 'maxProcesses'>;

/** Addresses that the machine offers. */
export interface HostAddresses extends MachineAddresses {
  /** Addresses of the node's name in DNS. */
  readonly nameIps: readonly string[];
}

/** Resources of devices. */
export interface DeviceResources {
  readonly capacity: ResourceList;
  readonly allocatable: ResourceList;
  /** Resources that were there before. They are shown as 0, so that they are not taken for resources of the cluster. */
  readonly removed: readonly string[];
}

/** State of the container runtime that a Node object shows. */
export interface RuntimeInfo {
  /** Name of the runtime, such as `containerd`. */
  readonly name: string;
  /** Version as nodes report it; `undefined` when the runtime does not answer. */
  readonly version: string | undefined;
  readonly handlers: readonly Pick<RuntimeHandler, 'name' | 'features'>[];
  readonly features: Pick<RuntimeFeatures, 'supplementalGroupsPolicy'> | undefined;
}

/** Everything that a node status is computed from. */
export interface NodeStatusInputs {
  readonly settings: NodeSettings;
  readonly nowMs: number;
  readonly addresses: HostAddresses;
  /** `undefined` when the machine cannot be read. */
  readonly machine: NodeMachine | undefined;
  /** Size of the file system of ephemeral storage; `undefined` when unknown. */
  readonly ephemeralStorageBytes: number | undefined;
  /** Resources that pods cannot request, see `nodeAllocatableReservation`. */
  readonly reservation: ResourceList;
  readonly devices: DeviceResources;
  readonly runtime: RuntimeInfo;
  /** `undefined` when the runtime cannot list its images. */
  readonly images: readonly Pick<Image, 'id' | 'repoDigests' | 'repoTags' | 'size'>[] | undefined;
  /** Conditions of pressure, before `Ready`, in this order. */
  readonly conditions: readonly NodeConditionState[];
  /** Reasons why the node is not ready, in the order of the message. */
  readonly notReady: readonly string[];
  /** Requirements that are not met, although the node may be ready. */
  readonly warnings: readonly string[];
  /** Fields that other parts of the agent own. */
  readonly fields: NonNullable<NodeStatusContribution['status']>;
}
