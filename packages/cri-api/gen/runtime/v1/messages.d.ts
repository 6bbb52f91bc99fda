// Plain types of the messages in api_pb.d.ts. Written by `npm run generate`; do not edit.
/* eslint-disable */

import type { SecurityProfile_ProfileType, Protocol, MountPropagation, NamespaceMode, SupplementalGroupsPolicy, PodSandboxState, Signal, ContainerState, ContainerEventType, MetricType, CgroupDriver } from './api_pb.js';

export * from './api_pb.js';

/**
 * Introduces the caller.
 *
 * @generated from message runtime.v1.VersionRequest
 */
export declare type VersionRequest = {
  /**
   * Version of the kubelet's runtime API: "0.1.0". Runtimes do not look at it.
   *
   * @generated from field: string version = 1;
   */
  version: string;
};

/**
 * Introduces the runtime.
 *
 * @generated from message runtime.v1.VersionResponse
 */
export declare type VersionResponse = {
  /**
   * Also "0.1.0": the kubelet does not start with any other.
   *
   * @generated from field: string version = 1;
   */
  version: string;

  /**
   * Such as "containerd" or "cri-o".
   *
   * @generated from field: string runtime_name = 2;
   */
  runtimeName: string;

  /**
   * @generated from field: string runtime_version = 3;
   */
  runtimeVersion: string;

  /**
   * The CRI version spoken on this connection, such as "v1".
   *
   * @generated from field: string runtime_api_version = 4;
   */
  runtimeApiVersion: string;
};

/**
 * Content of the pod's resolv.conf.
 *
 * @generated from message runtime.v1.DNSConfig
 */
export declare type DNSConfig = {
  /**
   * Addresses, in the order of use.
   *
   * @generated from field: repeated string servers = 1;
   */
  servers: string[];

  /**
   * @generated from field: repeated string searches = 2;
   */
  searches: string[];

  /**
   * Such as "ndots:5".
   *
   * @generated from field: repeated string options = 3;
   */
  options: string[];
};

/**
 * A port of the pod and where the node publishes it.
 *
 * @generated from message runtime.v1.PortMapping
 */
export declare type PortMapping = {
  /**
   * @generated from field: runtime.v1.Protocol protocol = 1;
   */
  protocol: Protocol;

  /**
   * @generated from field: int32 container_port = 2;
   */
  containerPort: number;

  /**
   * 0 publishes nothing.
   *
   * @generated from field: int32 host_port = 3;
   */
  hostPort: number;

  /**
   * Empty for every address of the node.
   *
   * @generated from field: string host_ip = 4;
   */
  hostIp: string;
};

/**
 * Something from outside made visible at a path in a container.
 *
 * @generated from message runtime.v1.Mount
 */
export declare type Mount = {
  /**
   * Absolute.
   *
   * @generated from field: string container_path = 1;
   */
  containerPath: string;

  /**
   * Absolute; symbolic links are followed, and a missing path is an error. Empty for image mounts.
   *
   * @generated from field: string host_path = 2;
   */
  hostPath: string;

  /**
   * @generated from field: bool readonly = 3;
   */
  readonly: boolean;

  /**
   * Give the files the container's SELinux label before mounting.
   *
   * @generated from field: bool selinux_relabel = 4;
   */
  selinuxRelabel: boolean;

  /**
   * @generated from field: runtime.v1.MountPropagation propagation = 5;
   */
  propagation: MountPropagation;

  /**
   * Id-mapped mount: how file owners translate. Empty for an ordinary one.
   *
   * @generated from field: repeated runtime.v1.IDMapping uidMappings = 6;
   */
  uidMappings: IDMapping[];

  /**
   * @generated from field: repeated runtime.v1.IDMapping gidMappings = 7;
   */
  gidMappings: IDMapping[];

  /**
   * Extends readonly to the mounts below; valid only with readonly and private propagation.
   *
   * @generated from field: bool recursive_read_only = 8;
   */
  recursiveReadOnly: boolean;

  /**
   * Image volume: the image to mount, read-only, in place of host_path. Named by the ref PullImage gave.
   *
   * @generated from field: runtime.v1.ImageSpec image = 9;
   */
  image?: ImageSpec | undefined;

  /**
   * Directory within the image, which has to exist; empty for its root.
   *
   * @generated from field: string image_sub_path = 10;
   */
  imageSubPath: string;
};

/**
 * A run of consecutive user or group ids and what they are on the host.
 *
 * @generated from message runtime.v1.IDMapping
 */
export declare type IDMapping = {
  /**
   * First id of the run, on the host.
   *
   * @generated from field: uint32 host_id = 1;
   */
  hostId: number;

  /**
   * First id of the run, in the container.
   *
   * @generated from field: uint32 container_id = 2;
   */
  containerId: number;

  /**
   * @generated from field: uint32 length = 3;
   */
  length: number;
};

/**
 * The user namespace of a pod.
 *
 * @generated from message runtime.v1.UserNamespace
 */
export declare type UserNamespace = {
  /**
   * POD or NODE. NODE is the host's, without mappings.
   *
   * @generated from field: runtime.v1.NamespaceMode mode = 1;
   */
  mode: NamespaceMode;

  /**
   * The kubelet sends one run, a multiple of 65536 ids long.
   *
   * @generated from field: repeated runtime.v1.IDMapping uids = 2;
   */
  uids: IDMapping[];

  /**
   * The same run as in uids.
   *
   * @generated from field: repeated runtime.v1.IDMapping gids = 3;
   */
  gids: IDMapping[];
};

/**
 * Which Linux namespaces a sandbox or container uses.
 *
 * @generated from message runtime.v1.NamespaceOption
 */
export declare type NamespaceOption = {
  /**
   * POD, or NODE with hostNetwork; a container has no network of its own.
   *
   * @generated from field: runtime.v1.NamespaceMode network = 1;
   */
  network: NamespaceMode;

  /**
   * The kubelet's default is CONTAINER, not 0; POD with shareProcessNamespace, NODE with hostPID.
   *
   * @generated from field: runtime.v1.NamespaceMode pid = 2;
   */
  pid: NamespaceMode;

  /**
   * POD, or NODE with hostIPC.
   *
   * @generated from field: runtime.v1.NamespaceMode ipc = 3;
   */
  ipc: NamespaceMode;

  /**
   * Container whose namespace to enter, where a mode is TARGET.
   *
   * @generated from field: string target_id = 4;
   */
  targetId: string;

  /**
   * Unset means the host's user namespace.
   *
   * @generated from field: runtime.v1.UserNamespace userns_options = 5;
   */
  usernsOptions?: UserNamespace | undefined;
};

/**
 * An int64 that can be missing, so that 0 (root) can be asked for.
 *
 * @generated from message runtime.v1.Int64Value
 */
export declare type Int64Value = {
  /**
   * @generated from field: int64 value = 1;
   */
  value: bigint;
};

/**
 * Security of the sandbox's own process; each container brings its own.
 *
 * @generated from message runtime.v1.LinuxSandboxSecurityContext
 */
export declare type LinuxSandboxSecurityContext = {
  /**
   * @generated from field: runtime.v1.NamespaceOption namespace_options = 1;
   */
  namespaceOptions?: NamespaceOption | undefined;

  /**
   * Unset lets the runtime pick a label.
   *
   * @generated from field: runtime.v1.SELinuxOption selinux_options = 2;
   */
  selinuxOptions?: SELinuxOption | undefined;

  /**
   * @generated from field: runtime.v1.Int64Value run_as_user = 3;
   */
  runAsUser?: Int64Value | undefined;

  /**
   * Only together with run_as_user.
   *
   * @generated from field: runtime.v1.Int64Value run_as_group = 8;
   */
  runAsGroup?: Int64Value | undefined;

  /**
   * @generated from field: bool readonly_rootfs = 4;
   */
  readonlyRootfs: boolean;

  /**
   * @generated from field: repeated int64 supplemental_groups = 5;
   */
  supplementalGroups: bigint[];

  /**
   * @generated from field: runtime.v1.SupplementalGroupsPolicy supplemental_groups_policy = 11;
   */
  supplementalGroupsPolicy: SupplementalGroupsPolicy;

  /**
   * Has to be set for privileged containers to be admitted to the sandbox.
   *
   * @generated from field: bool privileged = 6;
   */
  privileged: boolean;

  /**
   * @generated from field: runtime.v1.SecurityProfile seccomp = 9;
   */
  seccomp?: SecurityProfile | undefined;

  /**
   * @generated from field: runtime.v1.SecurityProfile apparmor = 10;
   */
  apparmor?: SecurityProfile | undefined;

  /**
   * Replaced by seccomp: runtime/default, unconfined (also when empty) or localhost/<absolute host path>.
   *
   * @generated from field: string seccomp_profile_path = 7 [deprecated = true];
   * @deprecated
   */
  seccompProfilePath: string;
};

/**
 * A seccomp or AppArmor profile.
 *
 * @generated from message runtime.v1.SecurityProfile
 */
export declare type SecurityProfile = {
  /**
   * @generated from field: runtime.v1.SecurityProfile.ProfileType profile_type = 1;
   */
  profileType: SecurityProfile_ProfileType;

  /**
   * Only with Localhost. Seccomp: absolute host path of a file; AppArmor: name of a loaded profile.
   *
   * @generated from field: string localhost_ref = 2;
   */
  localhostRef: string;
};

/**
 * The Linux part of a sandbox's configuration.
 *
 * @generated from message runtime.v1.LinuxPodSandboxConfig
 */
export declare type LinuxPodSandboxConfig = {
  /**
   * The pod's cgroup, made by the kubelet beforehand and named in the way of the cgroup driver.
   *
   * @generated from field: string cgroup_parent = 1;
   */
  cgroupParent: string;

  /**
   * @generated from field: runtime.v1.LinuxSandboxSecurityContext security_context = 2;
   */
  securityContext?: LinuxSandboxSecurityContext | undefined;

  /**
   * Kernel parameters, name to value, set in the pod's namespaces.
   *
   * @generated from field: map<string, string> sysctls = 3;
   */
  sysctls: { [key: string]: string };

  /**
   * What the sandbox itself costs (the RuntimeClass's pod overhead).
   *
   * @generated from field: runtime.v1.LinuxContainerResources overhead = 4;
   */
  overhead?: LinuxContainerResources | undefined;

  /**
   * Sum over the pod's containers, without overhead. For example for sizing a VM; not a limit to set.
   *
   * @generated from field: runtime.v1.LinuxContainerResources resources = 5;
   */
  resources?: LinuxContainerResources | undefined;
};

/**
 * A sandbox's identity: no two on a node have all four alike.
 *
 * @generated from message runtime.v1.PodSandboxMetadata
 */
export declare type PodSandboxMetadata = {
  /**
   * @generated from field: string name = 1;
   */
  name: string;

  /**
   * @generated from field: string uid = 2;
   */
  uid: string;

  /**
   * @generated from field: string namespace = 3;
   */
  namespace: string;

  /**
   * 0 for the first sandbox of a pod, one more for every replacement.
   *
   * @generated from field: uint32 attempt = 4;
   */
  attempt: number;
};

/**
 * All that is to be known about a sandbox. It does not change while the sandbox exists.
 *
 * @generated from message runtime.v1.PodSandboxConfig
 */
export declare type PodSandboxConfig = {
  /**
   * @generated from field: runtime.v1.PodSandboxMetadata metadata = 1;
   */
  metadata?: PodSandboxMetadata | undefined;

  /**
   * May be empty on the host's network only.
   *
   * @generated from field: string hostname = 2;
   */
  hostname: string;

  /**
   * Absolute host path of the containers' logs; the kubelet's: /var/log/pods/<namespace>_<name>_<uid>.
   *
   * @generated from field: string log_directory = 3;
   */
  logDirectory: string;

  /**
   * @generated from field: runtime.v1.DNSConfig dns_config = 4;
   */
  dnsConfig?: DNSConfig | undefined;

  /**
   * @generated from field: repeated runtime.v1.PortMapping port_mappings = 5;
   */
  portMappings: PortMapping[];

  /**
   * What label selectors look at.
   *
   * @generated from field: map<string, string> labels = 6;
   */
  labels: { [key: string]: string };

  /**
   * Handed back unchanged in lists and statuses; a runtime may act on keys of its own.
   *
   * @generated from field: map<string, string> annotations = 7;
   */
  annotations: { [key: string]: string };

  /**
   * @generated from field: runtime.v1.LinuxPodSandboxConfig linux = 8;
   */
  linux?: LinuxPodSandboxConfig | undefined;

  /**
   * @generated from field: runtime.v1.WindowsPodSandboxConfig windows = 9;
   */
  windows?: WindowsPodSandboxConfig | undefined;
};

/**
 * The sandbox to run.
 *
 * @generated from message runtime.v1.RunPodSandboxRequest
 */
export declare type RunPodSandboxRequest = {
  /**
   * @generated from field: runtime.v1.PodSandboxConfig config = 1;
   */
  config?: PodSandboxConfig | undefined;

  /**
   * From the pod's RuntimeClass; empty for the default. An unknown one is an error.
   *
   * @generated from field: string runtime_handler = 2;
   */
  runtimeHandler: string;
};

/**
 * The sandbox that now runs.
 *
 * @generated from message runtime.v1.RunPodSandboxResponse
 */
export declare type RunPodSandboxResponse = {
  /**
   * @generated from field: string pod_sandbox_id = 1;
   */
  podSandboxId: string;
};

/**
 * The sandbox to stop.
 *
 * @generated from message runtime.v1.StopPodSandboxRequest
 */
export declare type StopPodSandboxRequest = {
  /**
   * @generated from field: string pod_sandbox_id = 1;
   */
  podSandboxId: string;
};

/**
 * Empty: nothing of the sandbox runs any more.
 *
 * @generated from message runtime.v1.StopPodSandboxResponse
 */
export declare type StopPodSandboxResponse = {
};

/**
 * The sandbox to delete.
 *
 * @generated from message runtime.v1.RemovePodSandboxRequest
 */
export declare type RemovePodSandboxRequest = {
  /**
   * @generated from field: string pod_sandbox_id = 1;
   */
  podSandboxId: string;
};

/**
 * Empty: the sandbox is gone, its metadata may be used again.
 *
 * @generated from message runtime.v1.RemovePodSandboxResponse
 */
export declare type RemovePodSandboxResponse = {
};

/**
 * The sandbox to look at.
 *
 * @generated from message runtime.v1.PodSandboxStatusRequest
 */
export declare type PodSandboxStatusRequest = {
  /**
   * @generated from field: string pod_sandbox_id = 1;
   */
  podSandboxId: string;

  /**
   * Asks for the answer's info map as well.
   *
   * @generated from field: bool verbose = 2;
   */
  verbose: boolean;
};

/**
 * One further address of a sandbox.
 *
 * @generated from message runtime.v1.PodIP
 */
export declare type PodIP = {
  /**
   * @generated from field: string ip = 1;
   */
  ip: string;
};

/**
 * Addresses of a sandbox.
 *
 * @generated from message runtime.v1.PodSandboxNetworkStatus
 */
export declare type PodSandboxNetworkStatus = {
  /**
   * The primary one; empty on the host's network and after a stop.
   *
   * @generated from field: string ip = 1;
   */
  ip: string;

  /**
   * The second family of a dual-stack pod.
   *
   * @generated from field: repeated runtime.v1.PodIP additional_ips = 2;
   */
  additionalIps: PodIP[];
};

/**
 * Namespaces of an existing sandbox. Number 1 has been retired.
 *
 * @generated from message runtime.v1.Namespace
 */
export declare type Namespace = {
  /**
   * @generated from field: runtime.v1.NamespaceOption options = 2;
   */
  options?: NamespaceOption | undefined;
};

/**
 * The Linux part of a sandbox's status.
 *
 * @generated from message runtime.v1.LinuxPodSandboxStatus
 */
export declare type LinuxPodSandboxStatus = {
  /**
   * @generated from field: runtime.v1.Namespace namespaces = 1;
   */
  namespaces?: Namespace | undefined;
};

/**
 * A sandbox in detail.
 *
 * @generated from message runtime.v1.PodSandboxStatus
 */
export declare type PodSandboxStatus = {
  /**
   * @generated from field: string id = 1;
   */
  id: string;

  /**
   * @generated from field: runtime.v1.PodSandboxMetadata metadata = 2;
   */
  metadata?: PodSandboxMetadata | undefined;

  /**
   * @generated from field: runtime.v1.PodSandboxState state = 3;
   */
  state: PodSandboxState;

  /**
   * In ns since the Unix epoch; never 0.
   *
   * @generated from field: int64 created_at = 4;
   */
  createdAt: bigint;

  /**
   * @generated from field: runtime.v1.PodSandboxNetworkStatus network = 5;
   */
  network?: PodSandboxNetworkStatus | undefined;

  /**
   * @generated from field: runtime.v1.LinuxPodSandboxStatus linux = 6;
   */
  linux?: LinuxPodSandboxStatus | undefined;

  /**
   * @generated from field: map<string, string> labels = 7;
   */
  labels: { [key: string]: string };

  /**
   * @generated from field: map<string, string> annotations = 8;
   */
  annotations: { [key: string]: string };

  /**
   * As asked for when it was run; empty for the default.
   *
   * @generated from field: string runtime_handler = 9;
   */
  runtimeHandler: string;
};

/**
 * The sandbox asked for.
 *
 * @generated from message runtime.v1.PodSandboxStatusResponse
 */
export declare type PodSandboxStatusResponse = {
  /**
   * @generated from field: runtime.v1.PodSandboxStatus status = 1;
   */
  status?: PodSandboxStatus | undefined;

  /**
   * Details for debugging: JSON texts under keys of the runtime's choice. Empty unless verbose was set.
   *
   * @generated from field: map<string, string> info = 2;
   */
  info: { [key: string]: string };

  /**
   * Its containers, from runtimes that support events (evented PLEG); others leave it empty.
   *
   * @generated from field: repeated runtime.v1.ContainerStatus containers_statuses = 3;
   */
  containersStatuses: ContainerStatus[];

  /**
   * When the statuses were read, in ns since the Unix epoch. 0 from runtimes without events.
   *
   * @generated from field: int64 timestamp = 4;
   */
  timestamp: bigint;
};

/**
 * A sandbox state that can be missing: SANDBOX_READY is 0.
 *
 * @generated from message runtime.v1.PodSandboxStateValue
 */
export declare type PodSandboxStateValue = {
  /**
   * @generated from field: runtime.v1.PodSandboxState state = 1;
   */
  state: PodSandboxState;
};

/**
 * Conditions that must all hold; an unset one restricts nothing.
 *
 * @generated from message runtime.v1.PodSandboxFilter
 */
export declare type PodSandboxFilter = {
  /**
   * @generated from field: string id = 1;
   */
  id: string;

  /**
   * @generated from field: runtime.v1.PodSandboxStateValue state = 2;
   */
  state?: PodSandboxStateValue | undefined;

  /**
   * Labels that must be there with exactly these values.
   *
   * @generated from field: map<string, string> label_selector = 3;
   */
  labelSelector: { [key: string]: string };
};

/**
 * Which sandboxes to list; all without a filter.
 *
 * @generated from message runtime.v1.ListPodSandboxRequest
 */
export declare type ListPodSandboxRequest = {
  /**
   * @generated from field: runtime.v1.PodSandboxFilter filter = 1;
   */
  filter?: PodSandboxFilter | undefined;
};

/**
 * A sandbox in brief.
 *
 * @generated from message runtime.v1.PodSandbox
 */
export declare type PodSandbox = {
  /**
   * @generated from field: string id = 1;
   */
  id: string;

  /**
   * @generated from field: runtime.v1.PodSandboxMetadata metadata = 2;
   */
  metadata?: PodSandboxMetadata | undefined;

  /**
   * @generated from field: runtime.v1.PodSandboxState state = 3;
   */
  state: PodSandboxState;

  /**
   * In ns since the Unix epoch.
   *
   * @generated from field: int64 created_at = 4;
   */
  createdAt: bigint;

  /**
   * @generated from field: map<string, string> labels = 5;
   */
  labels: { [key: string]: string };

  /**
   * @generated from field: map<string, string> annotations = 6;
   */
  annotations: { [key: string]: string };

  /**
   * Empty for the default.
   *
   * @generated from field: string runtime_handler = 7;
   */
  runtimeHandler: string;
};

/**
 * The sandboxes found, in no given order.
 *
 * @generated from message runtime.v1.ListPodSandboxResponse
 */
export declare type ListPodSandboxResponse = {
  /**
   * @generated from field: repeated runtime.v1.PodSandbox items = 1;
   */
  items: PodSandbox[];
};

/**
 * Which sandboxes to stream; all without a filter.
 *
 * @generated from message runtime.v1.StreamPodSandboxesRequest
 */
export declare type StreamPodSandboxesRequest = {
  /**
   * @generated from field: runtime.v1.PodSandboxFilter filter = 1;
   */
  filter?: PodSandboxFilter | undefined;
};

/**
 * A batch of at least one sandbox; its size is up to the runtime.
 *
 * @generated from message runtime.v1.StreamPodSandboxesResponse
 */
export declare type StreamPodSandboxesResponse = {
  /**
   * @generated from field: repeated runtime.v1.PodSandbox pod_sandboxes = 1;
   */
  podSandboxes: PodSandbox[];
};

/**
 * The sandbox to measure.
 *
 * @generated from message runtime.v1.PodSandboxStatsRequest
 */
export declare type PodSandboxStatsRequest = {
  /**
   * @generated from field: string pod_sandbox_id = 1;
   */
  podSandboxId: string;
};

/**
 * Usage of the sandbox asked for.
 *
 * @generated from message runtime.v1.PodSandboxStatsResponse
 */
export declare type PodSandboxStatsResponse = {
  /**
   * @generated from field: runtime.v1.PodSandboxStats stats = 1;
   */
  stats?: PodSandboxStats | undefined;
};

/**
 * Conditions that must all hold; an unset one restricts nothing.
 *
 * @generated from message runtime.v1.PodSandboxStatsFilter
 */
export declare type PodSandboxStatsFilter = {
  /**
   * @generated from field: string id = 1;
   */
  id: string;

  /**
   * Labels that must be there with exactly these values.
   *
   * @generated from field: map<string, string> label_selector = 2;
   */
  labelSelector: { [key: string]: string };
};

/**
 * Which sandboxes to measure; all without a filter.
 *
 * @generated from message runtime.v1.ListPodSandboxStatsRequest
 */
export declare type ListPodSandboxStatsRequest = {
  /**
   * @generated from field: runtime.v1.PodSandboxStatsFilter filter = 1;
   */
  filter?: PodSandboxStatsFilter | undefined;
};

/**
 * Usage of the sandboxes found.
 *
 * @generated from message runtime.v1.ListPodSandboxStatsResponse
 */
export declare type ListPodSandboxStatsResponse = {
  /**
   * @generated from field: repeated runtime.v1.PodSandboxStats stats = 1;
   */
  stats: PodSandboxStats[];
};

/**
 * Which sandboxes to measure; all without a filter.
 *
 * @generated from message runtime.v1.StreamPodSandboxStatsRequest
 */
export declare type StreamPodSandboxStatsRequest = {
  /**
   * @generated from field: runtime.v1.PodSandboxStatsFilter filter = 1;
   */
  filter?: PodSandboxStatsFilter | undefined;
};

/**
 * A batch of at least one pod's usage.
 *
 * @generated from message runtime.v1.StreamPodSandboxStatsResponse
 */
export declare type StreamPodSandboxStatsResponse = {
  /**
   * @generated from field: repeated runtime.v1.PodSandboxStats pod_sandbox_stats = 1;
   */
  podSandboxStats: PodSandboxStats[];
};

/**
 * Whose figures these are, so that no second call is needed.
 *
 * @generated from message runtime.v1.PodSandboxAttributes
 */
export declare type PodSandboxAttributes = {
  /**
   * @generated from field: string id = 1;
   */
  id: string;

  /**
   * @generated from field: runtime.v1.PodSandboxMetadata metadata = 2;
   */
  metadata?: PodSandboxMetadata | undefined;

  /**
   * @generated from field: map<string, string> labels = 3;
   */
  labels: { [key: string]: string };

  /**
   * @generated from field: map<string, string> annotations = 4;
   */
  annotations: { [key: string]: string };
};

/**
 * Usage of a pod; linux or windows is set, after the node's system.
 *
 * @generated from message runtime.v1.PodSandboxStats
 */
export declare type PodSandboxStats = {
  /**
   * @generated from field: runtime.v1.PodSandboxAttributes attributes = 1;
   */
  attributes?: PodSandboxAttributes | undefined;

  /**
   * @generated from field: runtime.v1.LinuxPodSandboxStats linux = 2;
   */
  linux?: LinuxPodSandboxStats | undefined;

  /**
   * @generated from field: runtime.v1.WindowsPodSandboxStats windows = 3;
   */
  windows?: WindowsPodSandboxStats | undefined;
};

/**
 * Usage of a pod on Linux, taken from its cgroup and network namespace.
 *
 * @generated from message runtime.v1.LinuxPodSandboxStats
 */
export declare type LinuxPodSandboxStats = {
  /**
   * @generated from field: runtime.v1.CpuUsage cpu = 1;
   */
  cpu?: CpuUsage | undefined;

  /**
   * @generated from field: runtime.v1.MemoryUsage memory = 2;
   */
  memory?: MemoryUsage | undefined;

  /**
   * @generated from field: runtime.v1.NetworkUsage network = 3;
   */
  network?: NetworkUsage | undefined;

  /**
   * @generated from field: runtime.v1.ProcessUsage process = 4;
   */
  process?: ProcessUsage | undefined;

  /**
   * Without the sandbox's own process.
   *
   * @generated from field: repeated runtime.v1.ContainerStats containers = 5;
   */
  containers: ContainerStats[];

  /**
   * @generated from field: runtime.v1.IoUsage io = 6;
   */
  io?: IoUsage | undefined;
};

/**
 * Usage of a pod on Windows.
 *
 * @generated from message runtime.v1.WindowsPodSandboxStats
 */
export declare type WindowsPodSandboxStats = {
  /**
   * @generated from field: runtime.v1.WindowsCpuUsage cpu = 1;
   */
  cpu?: WindowsCpuUsage | undefined;

  /**
   * @generated from field: runtime.v1.WindowsMemoryUsage memory = 2;
   */
  memory?: WindowsMemoryUsage | undefined;

  /**
   * @generated from field: runtime.v1.WindowsNetworkUsage network = 3;
   */
  network?: WindowsNetworkUsage | undefined;

  /**
   * @generated from field: runtime.v1.WindowsProcessUsage process = 4;
   */
  process?: WindowsProcessUsage | undefined;

  /**
   * Without the sandbox's own process.
   *
   * @generated from field: repeated runtime.v1.WindowsContainerStats containers = 5;
   */
  containers: WindowsContainerStats[];
};

/**
 * Traffic of a pod.
 *
 * @generated from message runtime.v1.NetworkUsage
 */
export declare type NetworkUsage = {
  /**
   * When the figures were taken, in ns since the Unix epoch; greater than 0.
   *
   * @generated from field: int64 timestamp = 1;
   */
  timestamp: bigint;

  /**
   * The one that carries the pod's address, as a rule eth0.
   *
   * @generated from field: runtime.v1.NetworkInterfaceUsage default_interface = 2;
   */
  defaultInterface?: NetworkInterfaceUsage | undefined;

  /**
   * The others; the default one is not repeated.
   *
   * @generated from field: repeated runtime.v1.NetworkInterfaceUsage interfaces = 3;
   */
  interfaces: NetworkInterfaceUsage[];
};

/**
 * Traffic of a pod on Windows.
 *
 * @generated from message runtime.v1.WindowsNetworkUsage
 */
export declare type WindowsNetworkUsage = {
  /**
   * When the figures were taken, in ns since the Unix epoch; greater than 0.
   *
   * @generated from field: int64 timestamp = 1;
   */
  timestamp: bigint;

  /**
   * The one that carries the pod's address.
   *
   * @generated from field: runtime.v1.WindowsNetworkInterfaceUsage default_interface = 2;
   */
  defaultInterface?: WindowsNetworkInterfaceUsage | undefined;

  /**
   * The others; the default one is not repeated.
   *
   * @generated from field: repeated runtime.v1.WindowsNetworkInterfaceUsage interfaces = 3;
   */
  interfaces: WindowsNetworkInterfaceUsage[];
};

/**
 * Totals of one interface since it exists, seen from inside the pod.
 *
 * @generated from message runtime.v1.NetworkInterfaceUsage
 */
export declare type NetworkInterfaceUsage = {
  /**
   * @generated from field: string name = 1;
   */
  name: string;

  /**
   * @generated from field: runtime.v1.UInt64Value rx_bytes = 2;
   */
  rxBytes?: UInt64Value | undefined;

  /**
   * @generated from field: runtime.v1.UInt64Value rx_errors = 3;
   */
  rxErrors?: UInt64Value | undefined;

  /**
   * @generated from field: runtime.v1.UInt64Value tx_bytes = 4;
   */
  txBytes?: UInt64Value | undefined;

  /**
   * @generated from field: runtime.v1.UInt64Value tx_errors = 5;
   */
  txErrors?: UInt64Value | undefined;
};

/**
 * Totals of one interface since it exists, on Windows.
 *
 * @generated from message runtime.v1.WindowsNetworkInterfaceUsage
 */
export declare type WindowsNetworkInterfaceUsage = {
  /**
   * @generated from field: string name = 1;
   */
  name: string;

  /**
   * @generated from field: runtime.v1.UInt64Value rx_bytes = 2;
   */
  rxBytes?: UInt64Value | undefined;

  /**
   * @generated from field: runtime.v1.UInt64Value rx_packets_dropped = 3;
   */
  rxPacketsDropped?: UInt64Value | undefined;

  /**
   * @generated from field: runtime.v1.UInt64Value tx_bytes = 4;
   */
  txBytes?: UInt64Value | undefined;

  /**
   * @generated from field: runtime.v1.UInt64Value tx_packets_dropped = 5;
   */
  txPacketsDropped?: UInt64Value | undefined;
};

/**
 * Processes of a pod.
 *
 * @generated from message runtime.v1.ProcessUsage
 */
export declare type ProcessUsage = {
  /**
   * When the figures were taken, in ns since the Unix epoch; greater than 0.
   *
   * @generated from field: int64 timestamp = 1;
   */
  timestamp: bigint;

  /**
   * @generated from field: runtime.v1.UInt64Value process_count = 2;
   */
  processCount?: UInt64Value | undefined;
};

/**
 * Processes of a pod on Windows.
 *
 * @generated from message runtime.v1.WindowsProcessUsage
 */
export declare type WindowsProcessUsage = {
  /**
   * When the figures were taken, in ns since the Unix epoch; greater than 0.
   *
   * @generated from field: int64 timestamp = 1;
   */
  timestamp: bigint;

  /**
   * @generated from field: runtime.v1.UInt64Value process_count = 2;
   */
  processCount?: UInt64Value | undefined;
};

/**
 * An image by reference, with what helps to choose the right one.
 *
 * @generated from message runtime.v1.ImageSpec
 */
export declare type ImageSpec = {
  /**
   * A name with tag or digest, or an image id; in containers the ref that PullImage gave.
   *
   * @generated from field: string image = 1;
   */
  image: string;

  /**
   * The pod's annotations, when the kubelet pulls; a runtime may choose a variant by them.
   *
   * @generated from field: map<string, string> annotations = 2;
   */
  annotations: { [key: string]: string };

  /**
   * What the pod's author wrote; empty where the caller does not know.
   *
   * @generated from field: string user_specified_image = 18;
   */
  userSpecifiedImage: string;

  /**
   * Whose images are meant; empty for the default handler. An unknown one is an error.
   *
   * @generated from field: string runtime_handler = 19;
   */
  runtimeHandler: string;

  /**
   * For an image volume: the image really used, in the form of a container status's image_ref.
   *
   * @generated from field: string image_ref = 20;
   */
  imageRef: string;
};

/**
 * An environment variable.
 *
 * @generated from message runtime.v1.KeyValue
 */
export declare type KeyValue = {
  /**
   * @generated from field: string key = 1;
   */
  key: string;

  /**
   * Bytes, because a value need not be UTF-8.
   *
   * @generated from field: bytes value = 2;
   */
  value: Uint8Array;
};

/**
 * Limits for the cgroup of a container or sandbox. 0 and empty: not set, or in an update left alone.
 *
 * @generated from message runtime.v1.LinuxContainerResources
 */
export declare type LinuxContainerResources = {
  /**
   * CFS period in µs; the kubelet sends 100000.
   *
   * @generated from field: int64 cpu_period = 1;
   */
  cpuPeriod: bigint;

  /**
   * CPU time in µs for each period; negative for no limit.
   *
   * @generated from field: int64 cpu_quota = 2;
   */
  cpuQuota: bigint;

  /**
   * Relative weight, 2 to 262144, 1024 for each CPU requested; on cgroup v2 cpu.weight is derived from it.
   *
   * @generated from field: int64 cpu_shares = 3;
   */
  cpuShares: bigint;

  /**
   * @generated from field: int64 memory_limit_in_bytes = 4;
   */
  memoryLimitInBytes: bigint;

  /**
   * From -1000 (spared) to 1000 (killed first); here 0 is a value as any other.
   *
   * @generated from field: int64 oom_score_adj = 5;
   */
  oomScoreAdj: bigint;

  /**
   * In the kernel's list form, such as "0-3,8".
   *
   * @generated from field: string cpuset_cpus = 6;
   */
  cpusetCpus: string;

  /**
   * NUMA nodes, in the form of cpuset_cpus.
   *
   * @generated from field: string cpuset_mems = 7;
   */
  cpusetMems: string;

  /**
   * One for each page size of the host; the kubelet lists unwanted sizes too, with a limit of 0.
   *
   * @generated from field: repeated runtime.v1.HugepageLimit hugepage_limits = 8;
   */
  hugepageLimits: HugepageLimit[];

  /**
   * cgroup v2 files and what to write to them, such as "memory.oom.group" and "1".
   *
   * @generated from field: map<string, string> unified = 9;
   */
  unified: { [key: string]: string };

  /**
   * Memory and swap added up, not swap alone.
   *
   * @generated from field: int64 memory_swap_limit_in_bytes = 10;
   */
  memorySwapLimitInBytes: bigint;
};

/**
 * How much memory in huge pages of one size may be used.
 *
 * @generated from message runtime.v1.HugepageLimit
 */
export declare type HugepageLimit = {
  /**
   * Such as "2MB" or "1GB", counted in powers of 1024.
   *
   * @generated from field: string page_size = 1;
   */
  pageSize: string;

  /**
   * In bytes, not pages.
   *
   * @generated from field: uint64 limit = 2;
   */
  limit: bigint;
};

/**
 * The parts of an SELinux label.
 *
 * @generated from message runtime.v1.SELinuxOption
 */
export declare type SELinuxOption = {
  /**
   * @generated from field: string user = 1;
   */
  user: string;

  /**
   * @generated from field: string role = 2;
   */
  role: string;

  /**
   * @generated from field: string type = 3;
   */
  type: string;

  /**
   * @generated from field: string level = 4;
   */
  level: string;
};

/**
 * Changes to the runtime's default capabilities. Names such as "NET_ADMIN", or "ALL".
 *
 * @generated from message runtime.v1.Capability
 */
export declare type Capability = {
  /**
   * Added to all sets but the ambient one.
   *
   * @generated from field: repeated string add_capabilities = 1;
   */
  addCapabilities: string[];

  /**
   * Taken from all sets.
   *
   * @generated from field: repeated string drop_capabilities = 2;
   */
  dropCapabilities: string[];

  /**
   * Added to all sets, the ambient one included, so that processes of other users than root keep them.
   *
   * @generated from field: repeated string add_ambient_capabilities = 3;
   */
  addAmbientCapabilities: string[];
};

/**
 * Security of the processes of a container.
 *
 * @generated from message runtime.v1.LinuxContainerSecurityContext
 */
export declare type LinuxContainerSecurityContext = {
  /**
   * @generated from field: runtime.v1.Capability capabilities = 1;
   */
  capabilities?: Capability | undefined;

  /**
   * Almost the host's own powers. Capabilities, profiles and path restrictions may then count for nothing.
   *
   * @generated from field: bool privileged = 2;
   */
  privileged: boolean;

  /**
   * @generated from field: runtime.v1.NamespaceOption namespace_options = 3;
   */
  namespaceOptions?: NamespaceOption | undefined;

  /**
   * Unset lets the runtime pick a label.
   *
   * @generated from field: runtime.v1.SELinuxOption selinux_options = 4;
   */
  selinuxOptions?: SELinuxOption | undefined;

  /**
   * Not together with run_as_username. With neither, the image's user applies.
   *
   * @generated from field: runtime.v1.Int64Value run_as_user = 5;
   */
  runAsUser?: Int64Value | undefined;

  /**
   * Only together with run_as_user or run_as_username.
   *
   * @generated from field: runtime.v1.Int64Value run_as_group = 12;
   */
  runAsGroup?: Int64Value | undefined;

  /**
   * Looked up in the image's /etc/passwd; an error if it is not there.
   *
   * @generated from field: string run_as_username = 6;
   */
  runAsUsername: string;

  /**
   * @generated from field: bool readonly_rootfs = 7;
   */
  readonlyRootfs: boolean;

  /**
   * @generated from field: repeated int64 supplemental_groups = 8;
   */
  supplementalGroups: bigint[];

  /**
   * @generated from field: runtime.v1.SupplementalGroupsPolicy supplemental_groups_policy = 17;
   */
  supplementalGroupsPolicy: SupplementalGroupsPolicy;

  /**
   * Set when the pod has allowPrivilegeEscalation: false.
   *
   * @generated from field: bool no_new_privs = 11;
   */
  noNewPrivs: boolean;

  /**
   * Absolute paths in the container that its processes must not see into.
   *
   * @generated from field: repeated string masked_paths = 13;
   */
  maskedPaths: string[];

  /**
   * Absolute paths in the container that its processes must not write to.
   *
   * @generated from field: repeated string readonly_paths = 14;
   */
  readonlyPaths: string[];

  /**
   * @generated from field: runtime.v1.SecurityProfile seccomp = 15;
   */
  seccomp?: SecurityProfile | undefined;

  /**
   * @generated from field: runtime.v1.SecurityProfile apparmor = 16;
   */
  apparmor?: SecurityProfile | undefined;

  /**
   * Replaced by apparmor: runtime/default (also when empty), unconfined or localhost/<profile name>.
   *
   * @generated from field: string apparmor_profile = 9 [deprecated = true];
   * @deprecated
   */
  apparmorProfile: string;

  /**
   * Replaced by seccomp: runtime/default, unconfined (also when empty) or localhost/<absolute host path>.
   *
   * @generated from field: string seccomp_profile_path = 10 [deprecated = true];
   * @deprecated
   */
  seccompProfilePath: string;
};

/**
 * The Linux part of a container's configuration.
 *
 * @generated from message runtime.v1.LinuxContainerConfig
 */
export declare type LinuxContainerConfig = {
  /**
   * @generated from field: runtime.v1.LinuxContainerResources resources = 1;
   */
  resources?: LinuxContainerResources | undefined;

  /**
   * @generated from field: runtime.v1.LinuxContainerSecurityContext security_context = 2;
   */
  securityContext?: LinuxContainerSecurityContext | undefined;
};

/**
 * Whom the first process ran as at its start; it may have changed that since.
 *
 * @generated from message runtime.v1.LinuxContainerUser
 */
export declare type LinuxContainerUser = {
  /**
   * @generated from field: int64 uid = 1;
   */
  uid: bigint;

  /**
   * @generated from field: int64 gid = 2;
   */
  gid: bigint;

  /**
   * @generated from field: repeated int64 supplemental_groups = 3;
   */
  supplementalGroups: bigint[];
};

/**
 * Which namespaces a Windows sandbox uses.
 *
 * @generated from message runtime.v1.WindowsNamespaceOption
 */
export declare type WindowsNamespaceOption = {
  /**
   * POD or NODE.
   *
   * @generated from field: runtime.v1.NamespaceMode network = 1;
   */
  network: NamespaceMode;
};

/**
 * Security of a Windows sandbox.
 *
 * @generated from message runtime.v1.WindowsSandboxSecurityContext
 */
export declare type WindowsSandboxSecurityContext = {
  /**
   * Has to exist in the image.
   *
   * @generated from field: string run_as_username = 1;
   */
  runAsUsername: string;

  /**
   * The GMSA credential spec's text, not its name.
   *
   * @generated from field: string credential_spec = 2;
   */
  credentialSpec: string;

  /**
   * HostProcess pod: its containers run on the host itself.
   *
   * @generated from field: bool host_process = 3;
   */
  hostProcess: boolean;

  /**
   * @generated from field: runtime.v1.WindowsNamespaceOption namespace_options = 4;
   */
  namespaceOptions?: WindowsNamespaceOption | undefined;
};

/**
 * The Windows part of a sandbox's configuration.
 *
 * @generated from message runtime.v1.WindowsPodSandboxConfig
 */
export declare type WindowsPodSandboxConfig = {
  /**
   * @generated from field: runtime.v1.WindowsSandboxSecurityContext security_context = 1;
   */
  securityContext?: WindowsSandboxSecurityContext | undefined;
};

/**
 * Security of the processes of a Windows container.
 *
 * @generated from message runtime.v1.WindowsContainerSecurityContext
 */
export declare type WindowsContainerSecurityContext = {
  /**
   * Has to exist in the image.
   *
   * @generated from field: string run_as_username = 1;
   */
  runAsUsername: string;

  /**
   * The GMSA credential spec's text, not its name.
   *
   * @generated from field: string credential_spec = 2;
   */
  credentialSpec: string;

  /**
   * Run on the host itself; every container of the pod agrees in this.
   *
   * @generated from field: bool host_process = 3;
   */
  hostProcess: boolean;
};

/**
 * The Windows part of a container's configuration.
 *
 * @generated from message runtime.v1.WindowsContainerConfig
 */
export declare type WindowsContainerConfig = {
  /**
   * @generated from field: runtime.v1.WindowsContainerResources resources = 1;
   */
  resources?: WindowsContainerResources | undefined;

  /**
   * @generated from field: runtime.v1.WindowsContainerSecurityContext security_context = 2;
   */
  securityContext?: WindowsContainerSecurityContext | undefined;
};

/**
 * Limits of a Windows container; what is 0 or empty is not set.
 *
 * @generated from message runtime.v1.WindowsContainerResources
 */
export declare type WindowsContainerResources = {
  /**
   * Relative weight among containers.
   *
   * @generated from field: int64 cpu_shares = 1;
   */
  cpuShares: bigint;

  /**
   * @generated from field: int64 cpu_count = 2;
   */
  cpuCount: bigint;

  /**
   * Share of all processor cycles in hundredths of a percent: 10000 is everything.
   *
   * @generated from field: int64 cpu_maximum = 3;
   */
  cpuMaximum: bigint;

  /**
   * @generated from field: int64 memory_limit_in_bytes = 4;
   */
  memoryLimitInBytes: bigint;

  /**
   * Size of the scratch space.
   *
   * @generated from field: int64 rootfs_size_in_bytes = 5;
   */
  rootfsSizeInBytes: bigint;

  /**
   * @generated from field: repeated runtime.v1.WindowsCpuGroupAffinity affinity_cpus = 6;
   */
  affinityCpus: WindowsCpuGroupAffinity[];
};

/**
 * CPUs of one Windows processor group, as GROUP_AFFINITY has them.
 *
 * @generated from message runtime.v1.WindowsCpuGroupAffinity
 */
export declare type WindowsCpuGroupAffinity = {
  /**
   * One bit for each CPU of the group.
   *
   * @generated from field: uint64 cpu_mask = 1;
   */
  cpuMask: bigint;

  /**
   * @generated from field: uint32 cpu_group = 2;
   */
  cpuGroup: number;
};

/**
 * A container's identity within its sandbox: no two there have both alike.
 *
 * @generated from message runtime.v1.ContainerMetadata
 */
export declare type ContainerMetadata = {
  /**
   * @generated from field: string name = 1;
   */
  name: string;

  /**
   * The kubelet's restart count.
   *
   * @generated from field: uint32 attempt = 2;
   */
  attempt: number;
};

/**
 * A device node of the host, given to a container.
 *
 * @generated from message runtime.v1.Device
 */
export declare type Device = {
  /**
   * Absolute.
   *
   * @generated from field: string container_path = 1;
   */
  containerPath: string;

  /**
   * Absolute.
   *
   * @generated from field: string host_path = 2;
   */
  hostPath: string;

  /**
   * Any of r (read), w (write) and m (mknod).
   *
   * @generated from field: string permissions = 3;
   */
  permissions: string;
};

/**
 * A device described by the Container Device Interface.
 *
 * @generated from message runtime.v1.CDIDevice
 */
export declare type CDIDevice = {
  /**
   * In full, such as "vendor.com/class=name".
   *
   * @generated from field: string name = 1;
   */
  name: string;
};

/**
 * All that is to be known to make a container.
 *
 * @generated from message runtime.v1.ContainerConfig
 */
export declare type ContainerConfig = {
  /**
   * @generated from field: runtime.v1.ContainerMetadata metadata = 1;
   */
  metadata?: ContainerMetadata | undefined;

  /**
   * @generated from field: runtime.v1.ImageSpec image = 2;
   */
  image?: ImageSpec | undefined;

  /**
   * In place of the image's entrypoint; empty keeps that.
   *
   * @generated from field: repeated string command = 3;
   */
  command: string[];

  /**
   * In place of the image's arguments, which count only while command is empty too.
   *
   * @generated from field: repeated string args = 4;
   */
  args: string[];

  /**
   * Empty for the image's.
   *
   * @generated from field: string working_dir = 5;
   */
  workingDir: string;

  /**
   * @generated from field: repeated runtime.v1.KeyValue envs = 6;
   */
  envs: KeyValue[];

  /**
   * @generated from field: repeated runtime.v1.Mount mounts = 7;
   */
  mounts: Mount[];

  /**
   * @generated from field: repeated runtime.v1.Device devices = 8;
   */
  devices: Device[];

  /**
   * What label selectors look at; the kubelet finds its containers by them.
   *
   * @generated from field: map<string, string> labels = 9;
   */
  labels: { [key: string]: string };

  /**
   * Handed back unchanged in lists and statuses; a runtime may act on keys of its own.
   *
   * @generated from field: map<string, string> annotations = 10;
   */
  annotations: { [key: string]: string };

  /**
   * Relative to the sandbox's log_directory; the kubelet's: <container name>/<attempt>.log.
   *
   * @generated from field: string log_path = 11;
   */
  logPath: string;

  /**
   * Keep standard input open for Attach.
   *
   * @generated from field: bool stdin = 12;
   */
  stdin: boolean;

  /**
   * Close standard input when the first attached client leaves.
   *
   * @generated from field: bool stdin_once = 13;
   */
  stdinOnce: boolean;

  /**
   * Run on a terminal, which joins stdout and stderr into one.
   *
   * @generated from field: bool tty = 14;
   */
  tty: boolean;

  /**
   * @generated from field: runtime.v1.LinuxContainerConfig linux = 15;
   */
  linux?: LinuxContainerConfig | undefined;

  /**
   * @generated from field: runtime.v1.WindowsContainerConfig windows = 16;
   */
  windows?: WindowsContainerConfig | undefined;

  /**
   * @generated from field: repeated runtime.v1.CDIDevice CDI_devices = 17;
   */
  CDIDevices: CDIDevice[];

  /**
   * In place of the image's; RUNTIME_DEFAULT keeps that.
   *
   * @generated from field: runtime.v1.Signal stop_signal = 18;
   */
  stopSignal: Signal;
};

/**
 * The container to make.
 *
 * @generated from message runtime.v1.CreateContainerRequest
 */
export declare type CreateContainerRequest = {
  /**
   * @generated from field: string pod_sandbox_id = 1;
   */
  podSandboxId: string;

  /**
   * @generated from field: runtime.v1.ContainerConfig config = 2;
   */
  config?: ContainerConfig | undefined;

  /**
   * The same as when the sandbox was run, so that the runtime need not store it.
   *
   * @generated from field: runtime.v1.PodSandboxConfig sandbox_config = 3;
   */
  sandboxConfig?: PodSandboxConfig | undefined;
};

/**
 * The container made.
 *
 * @generated from message runtime.v1.CreateContainerResponse
 */
export declare type CreateContainerResponse = {
  /**
   * @generated from field: string container_id = 1;
   */
  containerId: string;
};

/**
 * The container to start.
 *
 * @generated from message runtime.v1.StartContainerRequest
 */
export declare type StartContainerRequest = {
  /**
   * @generated from field: string container_id = 1;
   */
  containerId: string;
};

/**
 * Empty: the container's process has been started.
 *
 * @generated from message runtime.v1.StartContainerResponse
 */
export declare type StartContainerResponse = {
};

/**
 * The container to stop.
 *
 * @generated from message runtime.v1.StopContainerRequest
 */
export declare type StopContainerRequest = {
  /**
   * @generated from field: string container_id = 1;
   */
  containerId: string;

  /**
   * Grace period in seconds; 0 kills at once. The kubelet grants 2 at least.
   *
   * @generated from field: int64 timeout = 2;
   */
  timeout: bigint;
};

/**
 * Empty: the container does not run any more.
 *
 * @generated from message runtime.v1.StopContainerResponse
 */
export declare type StopContainerResponse = {
};

/**
 * The container to delete.
 *
 * @generated from message runtime.v1.RemoveContainerRequest
 */
export declare type RemoveContainerRequest = {
  /**
   * @generated from field: string container_id = 1;
   */
  containerId: string;
};

/**
 * Empty: the container is gone.
 *
 * @generated from message runtime.v1.RemoveContainerResponse
 */
export declare type RemoveContainerResponse = {
};

/**
 * A container state that can be missing: CONTAINER_CREATED is 0.
 *
 * @generated from message runtime.v1.ContainerStateValue
 */
export declare type ContainerStateValue = {
  /**
   * @generated from field: runtime.v1.ContainerState state = 1;
   */
  state: ContainerState;
};

/**
 * Conditions that must all hold; an unset one restricts nothing.
 *
 * @generated from message runtime.v1.ContainerFilter
 */
export declare type ContainerFilter = {
  /**
   * @generated from field: string id = 1;
   */
  id: string;

  /**
   * @generated from field: runtime.v1.ContainerStateValue state = 2;
   */
  state?: ContainerStateValue | undefined;

  /**
   * @generated from field: string pod_sandbox_id = 3;
   */
  podSandboxId: string;

  /**
   * Labels that must be there with exactly these values.
   *
   * @generated from field: map<string, string> label_selector = 4;
   */
  labelSelector: { [key: string]: string };
};

/**
 * Which containers to list; all without a filter.
 *
 * @generated from message runtime.v1.ListContainersRequest
 */
export declare type ListContainersRequest = {
  /**
   * @generated from field: runtime.v1.ContainerFilter filter = 1;
   */
  filter?: ContainerFilter | undefined;
};

/**
 * A container in brief.
 *
 * @generated from message runtime.v1.Container
 */
export declare type Container = {
  /**
   * @generated from field: string id = 1;
   */
  id: string;

  /**
   * @generated from field: string pod_sandbox_id = 2;
   */
  podSandboxId: string;

  /**
   * @generated from field: runtime.v1.ContainerMetadata metadata = 3;
   */
  metadata?: ContainerMetadata | undefined;

  /**
   * As given when it was made.
   *
   * @generated from field: runtime.v1.ImageSpec image = 4;
   */
  image?: ImageSpec | undefined;

  /**
   * The image it uses, by id or digest.
   *
   * @generated from field: string image_ref = 5;
   */
  imageRef: string;

  /**
   * @generated from field: runtime.v1.ContainerState state = 6;
   */
  state: ContainerState;

  /**
   * In ns since the Unix epoch.
   *
   * @generated from field: int64 created_at = 7;
   */
  createdAt: bigint;

  /**
   * @generated from field: map<string, string> labels = 8;
   */
  labels: { [key: string]: string };

  /**
   * @generated from field: map<string, string> annotations = 9;
   */
  annotations: { [key: string]: string };

  /**
   * The ref that PullImage gives for this image, which image_ref need not be.
   *
   * @generated from field: string image_id = 10;
   */
  imageId: string;
};

/**
 * The containers found, in no given order.
 *
 * @generated from message runtime.v1.ListContainersResponse
 */
export declare type ListContainersResponse = {
  /**
   * @generated from field: repeated runtime.v1.Container containers = 1;
   */
  containers: Container[];
};

/**
 * Which containers to stream; all without a filter.
 *
 * @generated from message runtime.v1.StreamContainersRequest
 */
export declare type StreamContainersRequest = {
  /**
   * @generated from field: runtime.v1.ContainerFilter filter = 1;
   */
  filter?: ContainerFilter | undefined;
};

/**
 * A batch of at least one container; its size is up to the runtime.
 *
 * @generated from message runtime.v1.StreamContainersResponse
 */
export declare type StreamContainersResponse = {
  /**
   * @generated from field: repeated runtime.v1.Container containers = 1;
   */
  containers: Container[];
};

/**
 * The container to look at.
 *
 * @generated from message runtime.v1.ContainerStatusRequest
 */
export declare type ContainerStatusRequest = {
  /**
   * @generated from field: string container_id = 1;
   */
  containerId: string;

  /**
   * Asks for the answer's info map as well.
   *
   * @generated from field: bool verbose = 2;
   */
  verbose: boolean;
};

/**
 * A container in detail.
 *
 * @generated from message runtime.v1.ContainerStatus
 */
export declare type ContainerStatus = {
  /**
   * @generated from field: string id = 1;
   */
  id: string;

  /**
   * @generated from field: runtime.v1.ContainerMetadata metadata = 2;
   */
  metadata?: ContainerMetadata | undefined;

  /**
   * @generated from field: runtime.v1.ContainerState state = 3;
   */
  state: ContainerState;

  /**
   * In ns since the Unix epoch; never 0.
   *
   * @generated from field: int64 created_at = 4;
   */
  createdAt: bigint;

  /**
   * In ns since the Unix epoch; 0 before the start.
   *
   * @generated from field: int64 started_at = 5;
   */
  startedAt: bigint;

  /**
   * In ns since the Unix epoch; 0 until it has exited.
   *
   * @generated from field: int64 finished_at = 6;
   */
  finishedAt: bigint;

  /**
   * Meaningful only once finished_at is set.
   *
   * @generated from field: int32 exit_code = 7;
   */
  exitCode: number;

  /**
   * As given when it was made.
   *
   * @generated from field: runtime.v1.ImageSpec image = 8;
   */
  image?: ImageSpec | undefined;

  /**
   * The image it uses, by id or digest; never empty.
   *
   * @generated from field: string image_ref = 9;
   */
  imageRef: string;

  /**
   * In a word: Completed, Error, OOMKilled and others.
   *
   * @generated from field: string reason = 10;
   */
  reason: string;

  /**
   * For people to read.
   *
   * @generated from field: string message = 11;
   */
  message: string;

  /**
   * @generated from field: map<string, string> labels = 12;
   */
  labels: { [key: string]: string };

  /**
   * @generated from field: map<string, string> annotations = 13;
   */
  annotations: { [key: string]: string };

  /**
   * The kubelet finds the file with the termination message through them.
   *
   * @generated from field: repeated runtime.v1.Mount mounts = 14;
   */
  mounts: Mount[];

  /**
   * Absolute host path; the kubelet reads and rotates the file there.
   *
   * @generated from field: string log_path = 15;
   */
  logPath: string;

  /**
   * Limits now in force; unset where the runtime does not report them.
   *
   * @generated from field: runtime.v1.ContainerResources resources = 16;
   */
  resources?: ContainerResources | undefined;

  /**
   * The ref that PullImage gives for this image, which image_ref need not be.
   *
   * @generated from field: string image_id = 17;
   */
  imageId: string;

  /**
   * Unset where the runtime does not report it.
   *
   * @generated from field: runtime.v1.ContainerUser user = 18;
   */
  user?: ContainerUser | undefined;

  /**
   * What StopContainer sends before it kills.
   *
   * @generated from field: runtime.v1.Signal stop_signal = 19;
   */
  stopSignal: Signal;
};

/**
 * The container asked for.
 *
 * @generated from message runtime.v1.ContainerStatusResponse
 */
export declare type ContainerStatusResponse = {
  /**
   * @generated from field: runtime.v1.ContainerStatus status = 1;
   */
  status?: ContainerStatus | undefined;

  /**
   * Details for debugging: JSON texts under keys of the runtime's choice. Empty unless verbose was set.
   *
   * @generated from field: map<string, string> info = 2;
   */
  info: { [key: string]: string };
};

/**
 * Limits in force; linux or windows is set, after the node's system.
 *
 * @generated from message runtime.v1.ContainerResources
 */
export declare type ContainerResources = {
  /**
   * @generated from field: runtime.v1.LinuxContainerResources linux = 1;
   */
  linux?: LinuxContainerResources | undefined;

  /**
   * @generated from field: runtime.v1.WindowsContainerResources windows = 2;
   */
  windows?: WindowsContainerResources | undefined;
};

/**
 * Identity of a container's first process, for each system.
 *
 * @generated from message runtime.v1.ContainerUser
 */
export declare type ContainerUser = {
  /**
   * @generated from field: runtime.v1.LinuxContainerUser linux = 1;
   */
  linux?: LinuxContainerUser | undefined;
};

/**
 * The container to change and its new limits, for the node's system.
 *
 * @generated from message runtime.v1.UpdateContainerResourcesRequest
 */
export declare type UpdateContainerResourcesRequest = {
  /**
   * @generated from field: string container_id = 1;
   */
  containerId: string;

  /**
   * @generated from field: runtime.v1.LinuxContainerResources linux = 2;
   */
  linux?: LinuxContainerResources | undefined;

  /**
   * @generated from field: runtime.v1.WindowsContainerResources windows = 3;
   */
  windows?: WindowsContainerResources | undefined;

  /**
   * Further settings that a runtime may define.
   *
   * @generated from field: map<string, string> annotations = 4;
   */
  annotations: { [key: string]: string };
};

/**
 * Empty: the new limits hold.
 *
 * @generated from message runtime.v1.UpdateContainerResourcesResponse
 */
export declare type UpdateContainerResourcesResponse = {
};

/**
 * A command to run in a container, without standard input.
 *
 * @generated from message runtime.v1.ExecSyncRequest
 */
export declare type ExecSyncRequest = {
  /**
   * @generated from field: string container_id = 1;
   */
  containerId: string;

  /**
   * Program and arguments; no shell reads it.
   *
   * @generated from field: repeated string cmd = 2;
   */
  cmd: string[];

  /**
   * Seconds until the command is killed and the call fails; 0 for no limit.
   *
   * @generated from field: int64 timeout = 3;
   */
  timeout: bigint;
};

/**
 * What the command wrote and how it ended. Runtimes cut long output, usually at 16 MiB.
 *
 * @generated from message runtime.v1.ExecSyncResponse
 */
export declare type ExecSyncResponse = {
  /**
   * @generated from field: bytes stdout = 1;
   */
  stdout: Uint8Array;

  /**
   * @generated from field: bytes stderr = 2;
   */
  stderr: Uint8Array;

  /**
   * @generated from field: int32 exit_code = 3;
   */
  exitCode: number;
};

/**
 * A command to run in a container, with its streams carried to a client.
 *
 * @generated from message runtime.v1.ExecRequest
 */
export declare type ExecRequest = {
  /**
   * @generated from field: string container_id = 1;
   */
  containerId: string;

  /**
   * Program and arguments; no shell reads it.
   *
   * @generated from field: repeated string cmd = 2;
   */
  cmd: string[];

  /**
   * Run it on a terminal. All output then comes as stdout, so stderr must be false.
   *
   * @generated from field: bool tty = 3;
   */
  tty: boolean;

  /**
   * Must not be false together with stdout and stderr.
   *
   * @generated from field: bool stdin = 4;
   */
  stdin: boolean;

  /**
   * @generated from field: bool stdout = 5;
   */
  stdout: boolean;

  /**
   * @generated from field: bool stderr = 6;
   */
  stderr: boolean;
};

/**
 * Where to connect to run the command.
 *
 * @generated from message runtime.v1.ExecResponse
 */
export declare type ExecResponse = {
  /**
   * On the runtime's streaming server; good for one connection within a short time.
   *
   * @generated from field: string url = 1;
   */
  url: string;
};

/**
 * A running container and the streams of it to join.
 *
 * @generated from message runtime.v1.AttachRequest
 */
export declare type AttachRequest = {
  /**
   * @generated from field: string container_id = 1;
   */
  containerId: string;

  /**
   * Must not be false together with stdout and stderr.
   *
   * @generated from field: bool stdin = 2;
   */
  stdin: boolean;

  /**
   * Whether the container has a terminal. All output then comes as stdout, so stderr must be false.
   *
   * @generated from field: bool tty = 3;
   */
  tty: boolean;

  /**
   * @generated from field: bool stdout = 4;
   */
  stdout: boolean;

  /**
   * @generated from field: bool stderr = 5;
   */
  stderr: boolean;
};

/**
 * Where to connect to join the streams.
 *
 * @generated from message runtime.v1.AttachResponse
 */
export declare type AttachResponse = {
  /**
   * On the runtime's streaming server; good for one connection within a short time.
   *
   * @generated from field: string url = 1;
   */
  url: string;
};

/**
 * A sandbox and the ports in it to reach.
 *
 * @generated from message runtime.v1.PortForwardRequest
 */
export declare type PortForwardRequest = {
  /**
   * @generated from field: string pod_sandbox_id = 1;
   */
  podSandboxId: string;

  /**
   * @generated from field: repeated int32 port = 2;
   */
  port: number[];
};

/**
 * Where to connect to reach the ports.
 *
 * @generated from message runtime.v1.PortForwardResponse
 */
export declare type PortForwardResponse = {
  /**
   * On the runtime's streaming server; good for one connection within a short time.
   *
   * @generated from field: string url = 1;
   */
  url: string;
};

/**
 * The image to look for; any image when unset.
 *
 * @generated from message runtime.v1.ImageFilter
 */
export declare type ImageFilter = {
  /**
   * @generated from field: runtime.v1.ImageSpec image = 1;
   */
  image?: ImageSpec | undefined;
};

/**
 * Which images to list; all without a filter.
 *
 * @generated from message runtime.v1.ListImagesRequest
 */
export declare type ListImagesRequest = {
  /**
   * @generated from field: runtime.v1.ImageFilter filter = 1;
   */
  filter?: ImageFilter | undefined;
};

/**
 * An image in the store.
 *
 * @generated from message runtime.v1.Image
 */
export declare type Image = {
  /**
   * As a rule the digest of the image's configuration, the same for all its names.
   *
   * @generated from field: string id = 1;
   */
  id: string;

  /**
   * Its names with a tag.
   *
   * @generated from field: repeated string repo_tags = 2;
   */
  repoTags: string[];

  /**
   * Its names with a digest: name@sha256:<hex>.
   *
   * @generated from field: repeated string repo_digests = 3;
   */
  repoDigests: string[];

  /**
   * In bytes; greater than 0.
   *
   * @generated from field: uint64 size = 4;
   */
  size: bigint;

  /**
   * User that it runs as by default; unset if the image names one instead (username) or none.
   *
   * @generated from field: runtime.v1.Int64Value uid = 5;
   */
  uid?: Int64Value | undefined;

  /**
   * Empty if uid is set.
   *
   * @generated from field: string username = 6;
   */
  username: string;

  /**
   * What it was pulled by, with the annotations.
   *
   * @generated from field: runtime.v1.ImageSpec spec = 7;
   */
  spec?: ImageSpec | undefined;

  /**
   * Not to be removed by garbage collection.
   *
   * @generated from field: bool pinned = 8;
   */
  pinned: boolean;
};

/**
 * The images found, in no given order.
 *
 * @generated from message runtime.v1.ListImagesResponse
 */
export declare type ListImagesResponse = {
  /**
   * @generated from field: repeated runtime.v1.Image images = 1;
   */
  images: Image[];
};

/**
 * Which images to stream; all without a filter.
 *
 * @generated from message runtime.v1.StreamImagesRequest
 */
export declare type StreamImagesRequest = {
  /**
   * @generated from field: runtime.v1.ImageFilter filter = 1;
   */
  filter?: ImageFilter | undefined;
};

/**
 * A batch of at least one image; its size is up to the runtime.
 *
 * @generated from message runtime.v1.StreamImagesResponse
 */
export declare type StreamImagesResponse = {
  /**
   * @generated from field: repeated runtime.v1.Image images = 1;
   */
  images: Image[];
};

/**
 * The image to look for.
 *
 * @generated from message runtime.v1.ImageStatusRequest
 */
export declare type ImageStatusRequest = {
  /**
   * @generated from field: runtime.v1.ImageSpec image = 1;
   */
  image?: ImageSpec | undefined;

  /**
   * Asks for the answer's info map as well.
   *
   * @generated from field: bool verbose = 2;
   */
  verbose: boolean;
};

/**
 * The image, if it is in the store.
 *
 * @generated from message runtime.v1.ImageStatusResponse
 */
export declare type ImageStatusResponse = {
  /**
   * Unset if it is not.
   *
   * @generated from field: runtime.v1.Image image = 1;
   */
  image?: Image | undefined;

  /**
   * Details for debugging: JSON texts under keys of the runtime's choice. Empty unless verbose was set.
   *
   * @generated from field: map<string, string> info = 2;
   */
  info: { [key: string]: string };
};

/**
 * Credentials for one pull, in any one of these forms.
 *
 * @generated from message runtime.v1.AuthConfig
 */
export declare type AuthConfig = {
  /**
   * @generated from field: string username = 1;
   */
  username: string;

  /**
   * @generated from field: string password = 2;
   */
  password: string;

  /**
   * Base64 of "username:password", in place of those two.
   *
   * @generated from field: string auth = 3;
   */
  auth: string;

  /**
   * Registry that they are meant for.
   *
   * @generated from field: string server_address = 4;
   */
  serverAddress: string;

  /**
   * Traded for an access token at the registry's token server.
   *
   * @generated from field: string identity_token = 5;
   */
  identityToken: string;

  /**
   * Sent to the registry as the bearer token, as it is.
   *
   * @generated from field: string registry_token = 6;
   */
  registryToken: string;
};

/**
 * The image to fetch and for whom.
 *
 * @generated from message runtime.v1.PullImageRequest
 */
export declare type PullImageRequest = {
  /**
   * @generated from field: runtime.v1.ImageSpec image = 1;
   */
  image?: ImageSpec | undefined;

  /**
   * Unset to pull anonymously.
   *
   * @generated from field: runtime.v1.AuthConfig auth = 2;
   */
  auth?: AuthConfig | undefined;

  /**
   * The pod that needs it; a hint, since the image is kept for all.
   *
   * @generated from field: runtime.v1.PodSandboxConfig sandbox_config = 3;
   */
  sandboxConfig?: PodSandboxConfig | undefined;
};

/**
 * The image fetched.
 *
 * @generated from message runtime.v1.PullImageResponse
 */
export declare type PullImageResponse = {
  /**
   * Id or digest to make containers with; the same each time for the same image.
   *
   * @generated from field: string image_ref = 1;
   */
  imageRef: string;
};

/**
 * The image to delete.
 *
 * @generated from message runtime.v1.RemoveImageRequest
 */
export declare type RemoveImageRequest = {
  /**
   * @generated from field: runtime.v1.ImageSpec image = 1;
   */
  image?: ImageSpec | undefined;
};

/**
 * Empty: the image is not in the store.
 *
 * @generated from message runtime.v1.RemoveImageResponse
 */
export declare type RemoveImageResponse = {
};

/**
 * What a node's pod network needs to know.
 *
 * @generated from message runtime.v1.NetworkConfig
 */
export declare type NetworkConfig = {
  /**
   * Range of pod addresses, two with a comma for dual stack; empty means not given.
   *
   * @generated from field: string pod_cidr = 1;
   */
  podCidr: string;
};

/**
 * Settings that the kubelet hands down; the call of this name goes the other way.
 *
 * @generated from message runtime.v1.RuntimeConfig
 */
export declare type RuntimeConfig = {
  /**
   * @generated from field: runtime.v1.NetworkConfig network_config = 1;
   */
  networkConfig?: NetworkConfig | undefined;
};

/**
 * The settings to apply.
 *
 * @generated from message runtime.v1.UpdateRuntimeConfigRequest
 */
export declare type UpdateRuntimeConfigRequest = {
  /**
   * @generated from field: runtime.v1.RuntimeConfig runtime_config = 1;
   */
  runtimeConfig?: RuntimeConfig | undefined;
};

/**
 * Empty: the settings are taken over.
 *
 * @generated from message runtime.v1.UpdateRuntimeConfigResponse
 */
export declare type UpdateRuntimeConfigResponse = {
};

/**
 * One aspect of the runtime's health.
 *
 * @generated from message runtime.v1.RuntimeCondition
 */
export declare type RuntimeCondition = {
  /**
   * RuntimeReady and NetworkReady are required; others are for information.
   *
   * @generated from field: string type = 1;
   */
  type: string;

  /**
   * True is the healthy state.
   *
   * @generated from field: bool status = 2;
   */
  status: boolean;

  /**
   * In a CamelCase word.
   *
   * @generated from field: string reason = 3;
   */
  reason: string;

  /**
   * For people to read.
   *
   * @generated from field: string message = 4;
   */
  message: string;
};

/**
 * The runtime's health.
 *
 * @generated from message runtime.v1.RuntimeStatus
 */
export declare type RuntimeStatus = {
  /**
   * The node is NotReady unless both required ones are true. Without NetworkReady the kubelet starts only
   * pods on the host's network.
   *
   * @generated from field: repeated runtime.v1.RuntimeCondition conditions = 1;
   */
  conditions: RuntimeCondition[];
};

/**
 * Asks for health and features.
 *
 * @generated from message runtime.v1.StatusRequest
 */
export declare type StatusRequest = {
  /**
   * Asks for the answer's info map as well.
   *
   * @generated from field: bool verbose = 1;
   */
  verbose: boolean;
};

/**
 * What one handler supports.
 *
 * @generated from message runtime.v1.RuntimeHandlerFeatures
 */
export declare type RuntimeHandlerFeatures = {
  /**
   * Supports Mount.recursive_read_only.
   *
   * @generated from field: bool recursive_read_only_mounts = 1;
   */
  recursiveReadOnlyMounts: boolean;

  /**
   * Supports UserNamespace with mode POD.
   *
   * @generated from field: bool user_namespaces = 2;
   */
  userNamespaces: boolean;
};

/**
 * One way of running containers (runc, a VM and so on), chosen through a RuntimeClass.
 *
 * @generated from message runtime.v1.RuntimeHandler
 */
export declare type RuntimeHandler = {
  /**
   * Empty for the default handler.
   *
   * @generated from field: string name = 1;
   */
  name: string;

  /**
   * @generated from field: runtime.v1.RuntimeHandlerFeatures features = 2;
   */
  features?: RuntimeHandlerFeatures | undefined;
};

/**
 * What the runtime supports with every handler.
 *
 * @generated from message runtime.v1.RuntimeFeatures
 */
export declare type RuntimeFeatures = {
  /**
   * Supports SupplementalGroupsPolicy and reports ContainerStatus.user.
   *
   * @generated from field: bool supplemental_groups_policy = 1;
   */
  supplementalGroupsPolicy: boolean;

  /**
   * Can join a user namespace with the host's network.
   *
   * @generated from field: bool user_namespaces_host_network = 2;
   */
  userNamespacesHostNetwork: boolean;
};

/**
 * Health and features.
 *
 * @generated from message runtime.v1.StatusResponse
 */
export declare type StatusResponse = {
  /**
   * @generated from field: runtime.v1.RuntimeStatus status = 1;
   */
  status?: RuntimeStatus | undefined;

  /**
   * Details for debugging: JSON texts under keys of the runtime's choice. Empty unless verbose was set.
   *
   * @generated from field: map<string, string> info = 2;
   */
  info: { [key: string]: string };

  /**
   * The default handler among them, under the empty name.
   *
   * @generated from field: repeated runtime.v1.RuntimeHandler runtime_handlers = 3;
   */
  runtimeHandlers: RuntimeHandler[];

  /**
   * @generated from field: runtime.v1.RuntimeFeatures features = 4;
   */
  features?: RuntimeFeatures | undefined;
};

/**
 * Empty: always about the whole store.
 *
 * @generated from message runtime.v1.ImageFsInfoRequest
 */
export declare type ImageFsInfoRequest = {
};

/**
 * A uint64 that can be missing, so that 0 is not taken for unknown.
 *
 * @generated from message runtime.v1.UInt64Value
 */
export declare type UInt64Value = {
  /**
   * @generated from field: uint64 value = 1;
   */
  value: bigint;
};

/**
 * A filesystem, identified by its mount point.
 *
 * @generated from message runtime.v1.FilesystemIdentifier
 */
export declare type FilesystemIdentifier = {
  /**
   * Absolute host path.
   *
   * @generated from field: string mountpoint = 1;
   */
  mountpoint: string;
};

/**
 * What images or writable layers take up on a filesystem, which may hold other things too.
 *
 * @generated from message runtime.v1.FilesystemUsage
 */
export declare type FilesystemUsage = {
  /**
   * When the figures were taken, in ns since the Unix epoch; greater than 0.
   *
   * @generated from field: int64 timestamp = 1;
   */
  timestamp: bigint;

  /**
   * @generated from field: runtime.v1.FilesystemIdentifier fs_id = 2;
   */
  fsId?: FilesystemIdentifier | undefined;

  /**
   * @generated from field: runtime.v1.UInt64Value used_bytes = 3;
   */
  usedBytes?: UInt64Value | undefined;

  /**
   * @generated from field: runtime.v1.UInt64Value inodes_used = 4;
   */
  inodesUsed?: UInt64Value | undefined;
};

/**
 * What writable layers take up on a Windows filesystem.
 *
 * @generated from message runtime.v1.WindowsFilesystemUsage
 */
export declare type WindowsFilesystemUsage = {
  /**
   * When the figures were taken, in ns since the Unix epoch; greater than 0.
   *
   * @generated from field: int64 timestamp = 1;
   */
  timestamp: bigint;

  /**
   * @generated from field: runtime.v1.FilesystemIdentifier fs_id = 2;
   */
  fsId?: FilesystemIdentifier | undefined;

  /**
   * @generated from field: runtime.v1.UInt64Value used_bytes = 3;
   */
  usedBytes?: UInt64Value | undefined;
};

/**
 * Usage of the filesystems of the store.
 *
 * @generated from message runtime.v1.ImageFsInfoResponse
 */
export declare type ImageFsInfoResponse = {
  /**
   * Where image layers lie; as a rule exactly one.
   *
   * @generated from field: repeated runtime.v1.FilesystemUsage image_filesystems = 1;
   */
  imageFilesystems: FilesystemUsage[];

  /**
   * Where writable layers lie; may be empty if that is with the images.
   *
   * @generated from field: repeated runtime.v1.FilesystemUsage container_filesystems = 2;
   */
  containerFilesystems: FilesystemUsage[];
};

/**
 * The container to measure.
 *
 * @generated from message runtime.v1.ContainerStatsRequest
 */
export declare type ContainerStatsRequest = {
  /**
   * @generated from field: string container_id = 1;
   */
  containerId: string;
};

/**
 * Usage of the container asked for.
 *
 * @generated from message runtime.v1.ContainerStatsResponse
 */
export declare type ContainerStatsResponse = {
  /**
   * @generated from field: runtime.v1.ContainerStats stats = 1;
   */
  stats?: ContainerStats | undefined;
};

/**
 * Which containers to measure; all without a filter.
 *
 * @generated from message runtime.v1.ListContainerStatsRequest
 */
export declare type ListContainerStatsRequest = {
  /**
   * @generated from field: runtime.v1.ContainerStatsFilter filter = 1;
   */
  filter?: ContainerStatsFilter | undefined;
};

/**
 * Conditions that must all hold; an unset one restricts nothing.
 *
 * @generated from message runtime.v1.ContainerStatsFilter
 */
export declare type ContainerStatsFilter = {
  /**
   * @generated from field: string id = 1;
   */
  id: string;

  /**
   * @generated from field: string pod_sandbox_id = 2;
   */
  podSandboxId: string;

  /**
   * Labels that must be there with exactly these values.
   *
   * @generated from field: map<string, string> label_selector = 3;
   */
  labelSelector: { [key: string]: string };
};

/**
 * Usage of the containers found.
 *
 * @generated from message runtime.v1.ListContainerStatsResponse
 */
export declare type ListContainerStatsResponse = {
  /**
   * @generated from field: repeated runtime.v1.ContainerStats stats = 1;
   */
  stats: ContainerStats[];
};

/**
 * Which containers to measure; all without a filter.
 *
 * @generated from message runtime.v1.StreamContainerStatsRequest
 */
export declare type StreamContainerStatsRequest = {
  /**
   * @generated from field: runtime.v1.ContainerStatsFilter filter = 1;
   */
  filter?: ContainerStatsFilter | undefined;
};

/**
 * A batch of at least one container's usage.
 *
 * @generated from message runtime.v1.StreamContainerStatsResponse
 */
export declare type StreamContainerStatsResponse = {
  /**
   * @generated from field: repeated runtime.v1.ContainerStats container_stats = 1;
   */
  containerStats: ContainerStats[];
};

/**
 * Whose figures these are, so that no second call is needed.
 *
 * @generated from message runtime.v1.ContainerAttributes
 */
export declare type ContainerAttributes = {
  /**
   * @generated from field: string id = 1;
   */
  id: string;

  /**
   * @generated from field: runtime.v1.ContainerMetadata metadata = 2;
   */
  metadata?: ContainerMetadata | undefined;

  /**
   * @generated from field: map<string, string> labels = 3;
   */
  labels: { [key: string]: string };

  /**
   * @generated from field: map<string, string> annotations = 4;
   */
  annotations: { [key: string]: string };
};

/**
 * Usage of a container. What the runtime does not measure is unset.
 *
 * @generated from message runtime.v1.ContainerStats
 */
export declare type ContainerStats = {
  /**
   * @generated from field: runtime.v1.ContainerAttributes attributes = 1;
   */
  attributes?: ContainerAttributes | undefined;

  /**
   * @generated from field: runtime.v1.CpuUsage cpu = 2;
   */
  cpu?: CpuUsage | undefined;

  /**
   * @generated from field: runtime.v1.MemoryUsage memory = 3;
   */
  memory?: MemoryUsage | undefined;

  /**
   * What it has written over its image; neither volumes nor logs.
   *
   * @generated from field: runtime.v1.FilesystemUsage writable_layer = 4;
   */
  writableLayer?: FilesystemUsage | undefined;

  /**
   * @generated from field: runtime.v1.SwapUsage swap = 5;
   */
  swap?: SwapUsage | undefined;

  /**
   * @generated from field: runtime.v1.IoUsage io = 6;
   */
  io?: IoUsage | undefined;
};

/**
 * Usage of a container on Windows.
 *
 * @generated from message runtime.v1.WindowsContainerStats
 */
export declare type WindowsContainerStats = {
  /**
   * @generated from field: runtime.v1.ContainerAttributes attributes = 1;
   */
  attributes?: ContainerAttributes | undefined;

  /**
   * @generated from field: runtime.v1.WindowsCpuUsage cpu = 2;
   */
  cpu?: WindowsCpuUsage | undefined;

  /**
   * @generated from field: runtime.v1.WindowsMemoryUsage memory = 3;
   */
  memory?: WindowsMemoryUsage | undefined;

  /**
   * What it has written over its image; neither volumes nor logs.
   *
   * @generated from field: runtime.v1.WindowsFilesystemUsage writable_layer = 4;
   */
  writableLayer?: WindowsFilesystemUsage | undefined;
};

/**
 * Pressure stall information (PSI) of a cgroup for one resource.
 *
 * @generated from message runtime.v1.PsiStats
 */
export declare type PsiStats = {
  /**
   * Time in which all tasks that had work were stalled at once.
   *
   * @generated from field: runtime.v1.PsiData Full = 1;
   */
  Full?: PsiData | undefined;

  /**
   * Time in which at least one task was stalled.
   *
   * @generated from field: runtime.v1.PsiData Some = 2;
   */
  Some?: PsiData | undefined;
};

/**
 * One line of a PSI file. Averages are percentages of time over the last 10, 60 and 300 s.
 *
 * @generated from message runtime.v1.PsiData
 */
export declare type PsiData = {
  /**
   * Time stalled since start. Specified in ns, yet the kernel counts µs and may be passed on as is.
   *
   * @generated from field: uint64 Total = 1;
   */
  Total: bigint;

  /**
   * @generated from field: double Avg10 = 2;
   */
  Avg10: number;

  /**
   * @generated from field: double Avg60 = 3;
   */
  Avg60: number;

  /**
   * @generated from field: double Avg300 = 4;
   */
  Avg300: number;
};

/**
 * CPU time of a cgroup.
 *
 * @generated from message runtime.v1.CpuUsage
 */
export declare type CpuUsage = {
  /**
   * When the figures were taken, in ns since the Unix epoch; greater than 0.
   *
   * @generated from field: int64 timestamp = 1;
   */
  timestamp: bigint;

  /**
   * Time used since start, all CPUs added up, in ns.
   *
   * @generated from field: runtime.v1.UInt64Value usage_core_nano_seconds = 2;
   */
  usageCoreNanoSeconds?: UInt64Value | undefined;

  /**
   * Rate of late, in billionths of a CPU; if unset the kubelet computes it from two samples.
   *
   * @generated from field: runtime.v1.UInt64Value usage_nano_cores = 3;
   */
  usageNanoCores?: UInt64Value | undefined;

  /**
   * @generated from field: runtime.v1.PsiStats psi = 4;
   */
  psi?: PsiStats | undefined;
};

/**
 * CPU time of a pod or container on Windows.
 *
 * @generated from message runtime.v1.WindowsCpuUsage
 */
export declare type WindowsCpuUsage = {
  /**
   * When the figures were taken, in ns since the Unix epoch; greater than 0.
   *
   * @generated from field: int64 timestamp = 1;
   */
  timestamp: bigint;

  /**
   * Time used since start, all CPUs added up, in ns.
   *
   * @generated from field: runtime.v1.UInt64Value usage_core_nano_seconds = 2;
   */
  usageCoreNanoSeconds?: UInt64Value | undefined;

  /**
   * Rate of late, in billionths of a CPU.
   *
   * @generated from field: runtime.v1.UInt64Value usage_nano_cores = 3;
   */
  usageNanoCores?: UInt64Value | undefined;
};

/**
 * Memory of a cgroup.
 *
 * @generated from message runtime.v1.MemoryUsage
 */
export declare type MemoryUsage = {
  /**
   * When the figures were taken, in ns since the Unix epoch; greater than 0.
   *
   * @generated from field: int64 timestamp = 1;
   */
  timestamp: bigint;

  /**
   * Usage less file cache that is easily given up; what eviction goes by.
   *
   * @generated from field: runtime.v1.UInt64Value working_set_bytes = 2;
   */
  workingSetBytes?: UInt64Value | undefined;

  /**
   * Limit less working set; of no meaning without a limit.
   *
   * @generated from field: runtime.v1.UInt64Value available_bytes = 3;
   */
  availableBytes?: UInt64Value | undefined;

  /**
   * Everything charged, file cache included.
   *
   * @generated from field: runtime.v1.UInt64Value usage_bytes = 4;
   */
  usageBytes?: UInt64Value | undefined;

  /**
   * Memory without a file behind it, huge pages included.
   *
   * @generated from field: runtime.v1.UInt64Value rss_bytes = 5;
   */
  rssBytes?: UInt64Value | undefined;

  /**
   * Since start, those settled without the disk.
   *
   * @generated from field: runtime.v1.UInt64Value page_faults = 6;
   */
  pageFaults?: UInt64Value | undefined;

  /**
   * Since start, those that had to wait for the disk.
   *
   * @generated from field: runtime.v1.UInt64Value major_page_faults = 7;
   */
  majorPageFaults?: UInt64Value | undefined;

  /**
   * @generated from field: runtime.v1.PsiStats psi = 8;
   */
  psi?: PsiStats | undefined;
};

/**
 * I/O of a cgroup.
 *
 * @generated from message runtime.v1.IoUsage
 */
export declare type IoUsage = {
  /**
   * When the figures were taken, in ns since the Unix epoch; greater than 0.
   *
   * @generated from field: int64 timestamp = 1;
   */
  timestamp: bigint;

  /**
   * @generated from field: runtime.v1.PsiStats psi = 2;
   */
  psi?: PsiStats | undefined;
};

/**
 * Swap of a cgroup.
 *
 * @generated from message runtime.v1.SwapUsage
 */
export declare type SwapUsage = {
  /**
   * When the figures were taken, in ns since the Unix epoch; greater than 0.
   *
   * @generated from field: int64 timestamp = 1;
   */
  timestamp: bigint;

  /**
   * Limit less usage.
   *
   * @generated from field: runtime.v1.UInt64Value swap_available_bytes = 2;
   */
  swapAvailableBytes?: UInt64Value | undefined;

  /**
   * @generated from field: runtime.v1.UInt64Value swap_usage_bytes = 3;
   */
  swapUsageBytes?: UInt64Value | undefined;
};

/**
 * Memory of a pod or container on Windows.
 *
 * @generated from message runtime.v1.WindowsMemoryUsage
 */
export declare type WindowsMemoryUsage = {
  /**
   * When the figures were taken, in ns since the Unix epoch; greater than 0.
   *
   * @generated from field: int64 timestamp = 1;
   */
  timestamp: bigint;

  /**
   * Physical memory now in use.
   *
   * @generated from field: runtime.v1.UInt64Value working_set_bytes = 2;
   */
  workingSetBytes?: UInt64Value | undefined;

  /**
   * Limit less commit_memory_bytes.
   *
   * @generated from field: runtime.v1.UInt64Value available_bytes = 3;
   */
  availableBytes?: UInt64Value | undefined;

  /**
   * @generated from field: runtime.v1.UInt64Value page_faults = 4;
   */
  pageFaults?: UInt64Value | undefined;

  /**
   * Memory promised to the processes, in RAM or in the page file.
   *
   * @generated from field: runtime.v1.UInt64Value commit_memory_bytes = 5;
   */
  commitMemoryBytes?: UInt64Value | undefined;
};

/**
 * The container whose log was rotated.
 *
 * @generated from message runtime.v1.ReopenContainerLogRequest
 */
export declare type ReopenContainerLogRequest = {
  /**
   * @generated from field: string container_id = 1;
   */
  containerId: string;
};

/**
 * Empty: output goes to the new file.
 *
 * @generated from message runtime.v1.ReopenContainerLogResponse
 */
export declare type ReopenContainerLogResponse = {
};

/**
 * The container to checkpoint and where to.
 *
 * @generated from message runtime.v1.CheckpointContainerRequest
 */
export declare type CheckpointContainerRequest = {
  /**
   * @generated from field: string container_id = 1;
   */
  containerId: string;

  /**
   * Absolute host path of the archive to write.
   *
   * @generated from field: string location = 2;
   */
  location: string;

  /**
   * In seconds; 0 for the runtime's default.
   *
   * @generated from field: int64 timeout = 3;
   */
  timeout: bigint;
};

/**
 * Empty: the archive is complete.
 *
 * @generated from message runtime.v1.CheckpointContainerResponse
 */
export declare type CheckpointContainerResponse = {
};

/**
 * Empty: events come unfiltered.
 *
 * @generated from message runtime.v1.GetEventsRequest
 */
export declare type GetEventsRequest = {
};

/**
 * One event, with the state of the pod around it.
 *
 * @generated from message runtime.v1.ContainerEventResponse
 */
export declare type ContainerEventResponse = {
  /**
   * The id of a sandbox if the event is about one.
   *
   * @generated from field: string container_id = 1;
   */
  containerId: string;

  /**
   * @generated from field: runtime.v1.ContainerEventType container_event_type = 2;
   */
  containerEventType: ContainerEventType;

  /**
   * When it happened, by the runtime's clock, in ns since the Unix epoch.
   *
   * @generated from field: int64 created_at = 3;
   */
  createdAt: bigint;

  /**
   * May be unset once the sandbox is being removed.
   *
   * @generated from field: runtime.v1.PodSandboxStatus pod_sandbox_status = 4;
   */
  podSandboxStatus?: PodSandboxStatus | undefined;

  /**
   * @generated from field: repeated runtime.v1.ContainerStatus containers_statuses = 5;
   */
  containersStatuses: ContainerStatus[];
};

/**
 * Empty: all descriptors are wanted.
 *
 * @generated from message runtime.v1.ListMetricDescriptorsRequest
 */
export declare type ListMetricDescriptorsRequest = {
};

/**
 * The fixed set of descriptors.
 *
 * @generated from message runtime.v1.ListMetricDescriptorsResponse
 */
export declare type ListMetricDescriptorsResponse = {
  /**
   * @generated from field: repeated runtime.v1.MetricDescriptor descriptors = 1;
   */
  descriptors: MetricDescriptor[];
};

/**
 * A metric's name, text and labels, sent once rather than with each value.
 *
 * @generated from message runtime.v1.MetricDescriptor
 */
export declare type MetricDescriptor = {
  /**
   * Unique; what a Metric refers to.
   *
   * @generated from field: string name = 1;
   */
  name: string;

  /**
   * @generated from field: string help = 2;
   */
  help: string;

  /**
   * Their order is that of Metric.label_values.
   *
   * @generated from field: repeated string label_keys = 3;
   */
  labelKeys: string[];
};

/**
 * Empty: the values of all sandboxes are wanted.
 *
 * @generated from message runtime.v1.ListPodSandboxMetricsRequest
 */
export declare type ListPodSandboxMetricsRequest = {
};

/**
 * Values of all sandboxes.
 *
 * @generated from message runtime.v1.ListPodSandboxMetricsResponse
 */
export declare type ListPodSandboxMetricsResponse = {
  /**
   * @generated from field: repeated runtime.v1.PodSandboxMetrics pod_metrics = 1;
   */
  podMetrics: PodSandboxMetrics[];
};

/**
 * Empty: the values of all sandboxes are wanted.
 *
 * @generated from message runtime.v1.StreamPodSandboxMetricsRequest
 */
export declare type StreamPodSandboxMetricsRequest = {
};

/**
 * A batch of at least one sandbox's values.
 *
 * @generated from message runtime.v1.StreamPodSandboxMetricsResponse
 */
export declare type StreamPodSandboxMetricsResponse = {
  /**
   * @generated from field: repeated runtime.v1.PodSandboxMetrics pod_sandbox_metrics = 1;
   */
  podSandboxMetrics: PodSandboxMetrics[];
};

/**
 * Values of one sandbox.
 *
 * @generated from message runtime.v1.PodSandboxMetrics
 */
export declare type PodSandboxMetrics = {
  /**
   * @generated from field: string pod_sandbox_id = 1;
   */
  podSandboxId: string;

  /**
   * Those about the pod as a whole, such as its network.
   *
   * @generated from field: repeated runtime.v1.Metric metrics = 2;
   */
  metrics: Metric[];

  /**
   * @generated from field: repeated runtime.v1.ContainerMetrics container_metrics = 3;
   */
  containerMetrics: ContainerMetrics[];
};

/**
 * Values of one container.
 *
 * @generated from message runtime.v1.ContainerMetrics
 */
export declare type ContainerMetrics = {
  /**
   * @generated from field: string container_id = 1;
   */
  containerId: string;

  /**
   * @generated from field: repeated runtime.v1.Metric metrics = 2;
   */
  metrics: Metric[];
};

/**
 * One value of a described metric.
 *
 * @generated from message runtime.v1.Metric
 */
export declare type Metric = {
  /**
   * That of a descriptor; the value is ignored if there is none.
   *
   * @generated from field: string name = 1;
   */
  name: string;

  /**
   * 0 if measured for this call; else when it was, in ns since the Unix epoch.
   *
   * @generated from field: int64 timestamp = 2;
   */
  timestamp: bigint;

  /**
   * @generated from field: runtime.v1.MetricType metric_type = 3;
   */
  metricType: MetricType;

  /**
   * One for each of the descriptor's label_keys, in the same order.
   *
   * @generated from field: repeated string label_values = 4;
   */
  labelValues: string[];

  /**
   * @generated from field: runtime.v1.UInt64Value value = 5;
   */
  value?: UInt64Value | undefined;
};

/**
 * Empty: the whole configuration is wanted.
 *
 * @generated from message runtime.v1.RuntimeConfigRequest
 */
export declare type RuntimeConfigRequest = {
};

/**
 * What the kubelet has to follow.
 *
 * @generated from message runtime.v1.RuntimeConfigResponse
 */
export declare type RuntimeConfigResponse = {
  /**
   * Unset on other systems.
   *
   * @generated from field: runtime.v1.LinuxRuntimeConfiguration linux = 1;
   */
  linux?: LinuxRuntimeConfiguration | undefined;
};

/**
 * What the kubelet has to follow on Linux.
 *
 * @generated from message runtime.v1.LinuxRuntimeConfiguration
 */
export declare type LinuxRuntimeConfiguration = {
  /**
   * @generated from field: runtime.v1.CgroupDriver cgroup_driver = 1;
   */
  cgroupDriver: CgroupDriver;
};

/**
 * The sandbox and what its pod now amounts to.
 *
 * @generated from message runtime.v1.UpdatePodSandboxResourcesRequest
 */
export declare type UpdatePodSandboxResourcesRequest = {
  /**
   * @generated from field: string pod_sandbox_id = 1;
   */
  podSandboxId: string;

  /**
   * As in LinuxPodSandboxConfig; unset if unchanged.
   *
   * @generated from field: runtime.v1.LinuxContainerResources overhead = 2;
   */
  overhead?: LinuxContainerResources | undefined;

  /**
   * As in LinuxPodSandboxConfig; unset if unchanged.
   *
   * @generated from field: runtime.v1.LinuxContainerResources resources = 3;
   */
  resources?: LinuxContainerResources | undefined;
};

/**
 * Empty: the runtime has taken note.
 *
 * @generated from message runtime.v1.UpdatePodSandboxResourcesResponse
 */
export declare type UpdatePodSandboxResourcesResponse = {
};

/**
 * The plain types by the full names of the messages.
 */
export declare type MessagesByTypeName = {
  'runtime.v1.VersionRequest': VersionRequest;
  'runtime.v1.VersionResponse': VersionResponse;
  'runtime.v1.DNSConfig': DNSConfig;
  'runtime.v1.PortMapping': PortMapping;
  'runtime.v1.Mount': Mount;
  'runtime.v1.IDMapping': IDMapping;
  'runtime.v1.UserNamespace': UserNamespace;
  'runtime.v1.NamespaceOption': NamespaceOption;
  'runtime.v1.Int64Value': Int64Value;
  'runtime.v1.LinuxSandboxSecurityContext': LinuxSandboxSecurityContext;
  'runtime.v1.SecurityProfile': SecurityProfile;
  'runtime.v1.LinuxPodSandboxConfig': LinuxPodSandboxConfig;
  'runtime.v1.PodSandboxMetadata': PodSandboxMetadata;
  'runtime.v1.PodSandboxConfig': PodSandboxConfig;
  'runtime.v1.RunPodSandboxRequest': RunPodSandboxRequest;
  'runtime.v1.RunPodSandboxResponse': RunPodSandboxResponse;
  'runtime.v1.StopPodSandboxRequest': StopPodSandboxRequest;
  'runtime.v1.StopPodSandboxResponse': StopPodSandboxResponse;
  'runtime.v1.RemovePodSandboxRequest': RemovePodSandboxRequest;
  'runtime.v1.RemovePodSandboxResponse': RemovePodSandboxResponse;
  'runtime.v1.PodSandboxStatusRequest': PodSandboxStatusRequest;
  'runtime.v1.PodIP': PodIP;
  'runtime.v1.PodSandboxNetworkStatus': PodSandboxNetworkStatus;
  'runtime.v1.Namespace': Namespace;
  'runtime.v1.LinuxPodSandboxStatus': LinuxPodSandboxStatus;
  'runtime.v1.PodSandboxStatus': PodSandboxStatus;
  'runtime.v1.PodSandboxStatusResponse': PodSandboxStatusResponse;
  'runtime.v1.PodSandboxStateValue': PodSandboxStateValue;
  'runtime.v1.PodSandboxFilter': PodSandboxFilter;
  'runtime.v1.ListPodSandboxRequest': ListPodSandboxRequest;
  'runtime.v1.PodSandbox': PodSandbox;
  'runtime.v1.ListPodSandboxResponse': ListPodSandboxResponse;
  'runtime.v1.StreamPodSandboxesRequest': StreamPodSandboxesRequest;
  'runtime.v1.StreamPodSandboxesResponse': StreamPodSandboxesResponse;
  'runtime.v1.PodSandboxStatsRequest': PodSandboxStatsRequest;
  'runtime.v1.PodSandboxStatsResponse': PodSandboxStatsResponse;
  'runtime.v1.PodSandboxStatsFilter': PodSandboxStatsFilter;
  'runtime.v1.ListPodSandboxStatsRequest': ListPodSandboxStatsRequest;
  'runtime.v1.ListPodSandboxStatsResponse': ListPodSandboxStatsResponse;
  'runtime.v1.StreamPodSandboxStatsRequest': StreamPodSandboxStatsRequest;
  'runtime.v1.StreamPodSandboxStatsResponse': StreamPodSandboxStatsResponse;
  'runtime.v1.PodSandboxAttributes': PodSandboxAttributes;
  'runtime.v1.PodSandboxStats': PodSandboxStats;
  'runtime.v1.LinuxPodSandboxStats': LinuxPodSandboxStats;
  'runtime.v1.WindowsPodSandboxStats': WindowsPodSandboxStats;
  'runtime.v1.NetworkUsage': NetworkUsage;
  'runtime.v1.WindowsNetworkUsage': WindowsNetworkUsage;
  'runtime.v1.NetworkInterfaceUsage': NetworkInterfaceUsage;
  'runtime.v1.WindowsNetworkInterfaceUsage': WindowsNetworkInterfaceUsage;
  'runtime.v1.ProcessUsage': ProcessUsage;
  'runtime.v1.WindowsProcessUsage': WindowsProcessUsage;
  'runtime.v1.ImageSpec': ImageSpec;
  'runtime.v1.KeyValue': KeyValue;
  'runtime.v1.LinuxContainerResources': LinuxContainerResources;
  'runtime.v1.HugepageLimit': HugepageLimit;
  'runtime.v1.SELinuxOption': SELinuxOption;
  'runtime.v1.Capability': Capability;
  'runtime.v1.LinuxContainerSecurityContext': LinuxContainerSecurityContext;
  'runtime.v1.LinuxContainerConfig': LinuxContainerConfig;
  'runtime.v1.LinuxContainerUser': LinuxContainerUser;
  'runtime.v1.WindowsNamespaceOption': WindowsNamespaceOption;
  'runtime.v1.WindowsSandboxSecurityContext': WindowsSandboxSecurityContext;
  'runtime.v1.WindowsPodSandboxConfig': WindowsPodSandboxConfig;
  'runtime.v1.WindowsContainerSecurityContext': WindowsContainerSecurityContext;
  'runtime.v1.WindowsContainerConfig': WindowsContainerConfig;
  'runtime.v1.WindowsContainerResources': WindowsContainerResources;
  'runtime.v1.WindowsCpuGroupAffinity': WindowsCpuGroupAffinity;
  'runtime.v1.ContainerMetadata': ContainerMetadata;
  'runtime.v1.Device': Device;
  'runtime.v1.CDIDevice': CDIDevice;
  'runtime.v1.ContainerConfig': ContainerConfig;
  'runtime.v1.CreateContainerRequest': CreateContainerRequest;
  'runtime.v1.CreateContainerResponse': CreateContainerResponse;
  'runtime.v1.StartContainerRequest': StartContainerRequest;
  'runtime.v1.StartContainerResponse': StartContainerResponse;
  'runtime.v1.StopContainerRequest': StopContainerRequest;
  'runtime.v1.StopContainerResponse': StopContainerResponse;
  'runtime.v1.RemoveContainerRequest': RemoveContainerRequest;
  'runtime.v1.RemoveContainerResponse': RemoveContainerResponse;
  'runtime.v1.ContainerStateValue': ContainerStateValue;
  'runtime.v1.ContainerFilter': ContainerFilter;
  'runtime.v1.ListContainersRequest': ListContainersRequest;
  'runtime.v1.Container': Container;
  'runtime.v1.ListContainersResponse': ListContainersResponse;
  'runtime.v1.StreamContainersRequest': StreamContainersRequest;
  'runtime.v1.StreamContainersResponse': StreamContainersResponse;
  'runtime.v1.ContainerStatusRequest': ContainerStatusRequest;
  'runtime.v1.ContainerStatus': ContainerStatus;
  'runtime.v1.ContainerStatusResponse': ContainerStatusResponse;
  'runtime.v1.ContainerResources': ContainerResources;
  'runtime.v1.ContainerUser': ContainerUser;
  'runtime.v1.UpdateContainerResourcesRequest': UpdateContainerResourcesRequest;
  'runtime.v1.UpdateContainerResourcesResponse': UpdateContainerResourcesResponse;
  'runtime.v1.ExecSyncRequest': ExecSyncRequest;
  'runtime.v1.ExecSyncResponse': ExecSyncResponse;
  'runtime.v1.ExecRequest': ExecRequest;
  'runtime.v1.ExecResponse': ExecResponse;
  'runtime.v1.AttachRequest': AttachRequest;
  'runtime.v1.AttachResponse': AttachResponse;
  'runtime.v1.PortForwardRequest': PortForwardRequest;
  'runtime.v1.PortForwardResponse': PortForwardResponse;
  'runtime.v1.ImageFilter': ImageFilter;
  'runtime.v1.ListImagesRequest': ListImagesRequest;
  'runtime.v1.Image': Image;
  'runtime.v1.ListImagesResponse': ListImagesResponse;
  'runtime.v1.StreamImagesRequest': StreamImagesRequest;
  'runtime.v1.StreamImagesResponse': StreamImagesResponse;
  'runtime.v1.ImageStatusRequest': ImageStatusRequest;
  'runtime.v1.ImageStatusResponse': ImageStatusResponse;
  'runtime.v1.AuthConfig': AuthConfig;
  'runtime.v1.PullImageRequest': PullImageRequest;
  'runtime.v1.PullImageResponse': PullImageResponse;
  'runtime.v1.RemoveImageRequest': RemoveImageRequest;
  'runtime.v1.RemoveImageResponse': RemoveImageResponse;
  'runtime.v1.NetworkConfig': NetworkConfig;
  'runtime.v1.RuntimeConfig': RuntimeConfig;
  'runtime.v1.UpdateRuntimeConfigRequest': UpdateRuntimeConfigRequest;
  'runtime.v1.UpdateRuntimeConfigResponse': UpdateRuntimeConfigResponse;
  'runtime.v1.RuntimeCondition': RuntimeCondition;
  'runtime.v1.RuntimeStatus': RuntimeStatus;
  'runtime.v1.StatusRequest': StatusRequest;
  'runtime.v1.RuntimeHandlerFeatures': RuntimeHandlerFeatures;
  'runtime.v1.RuntimeHandler': RuntimeHandler;
  'runtime.v1.RuntimeFeatures': RuntimeFeatures;
  'runtime.v1.StatusResponse': StatusResponse;
  'runtime.v1.ImageFsInfoRequest': ImageFsInfoRequest;
  'runtime.v1.UInt64Value': UInt64Value;
  'runtime.v1.FilesystemIdentifier': FilesystemIdentifier;
  'runtime.v1.FilesystemUsage': FilesystemUsage;
  'runtime.v1.WindowsFilesystemUsage': WindowsFilesystemUsage;
  'runtime.v1.ImageFsInfoResponse': ImageFsInfoResponse;
  'runtime.v1.ContainerStatsRequest': ContainerStatsRequest;
  'runtime.v1.ContainerStatsResponse': ContainerStatsResponse;
  'runtime.v1.ListContainerStatsRequest': ListContainerStatsRequest;
  'runtime.v1.ContainerStatsFilter': ContainerStatsFilter;
  'runtime.v1.ListContainerStatsResponse': ListContainerStatsResponse;
  'runtime.v1.StreamContainerStatsRequest': StreamContainerStatsRequest;
  'runtime.v1.StreamContainerStatsResponse': StreamContainerStatsResponse;
  'runtime.v1.ContainerAttributes': ContainerAttributes;
  'runtime.v1.ContainerStats': ContainerStats;
  'runtime.v1.WindowsContainerStats': WindowsContainerStats;
  'runtime.v1.PsiStats': PsiStats;
  'runtime.v1.PsiData': PsiData;
  'runtime.v1.CpuUsage': CpuUsage;
  'runtime.v1.WindowsCpuUsage': WindowsCpuUsage;
  'runtime.v1.MemoryUsage': MemoryUsage;
  'runtime.v1.IoUsage': IoUsage;
  'runtime.v1.SwapUsage': SwapUsage;
  'runtime.v1.WindowsMemoryUsage': WindowsMemoryUsage;
  'runtime.v1.ReopenContainerLogRequest': ReopenContainerLogRequest;
  'runtime.v1.ReopenContainerLogResponse': ReopenContainerLogResponse;
  'runtime.v1.CheckpointContainerRequest': CheckpointContainerRequest;
  'runtime.v1.CheckpointContainerResponse': CheckpointContainerResponse;
  'runtime.v1.GetEventsRequest': GetEventsRequest;
  'runtime.v1.ContainerEventResponse': ContainerEventResponse;
  'runtime.v1.ListMetricDescriptorsRequest': ListMetricDescriptorsRequest;
  'runtime.v1.ListMetricDescriptorsResponse': ListMetricDescriptorsResponse;
  'runtime.v1.MetricDescriptor': MetricDescriptor;
  'runtime.v1.ListPodSandboxMetricsRequest': ListPodSandboxMetricsRequest;
  'runtime.v1.ListPodSandboxMetricsResponse': ListPodSandboxMetricsResponse;
  'runtime.v1.StreamPodSandboxMetricsRequest': StreamPodSandboxMetricsRequest;
  'runtime.v1.StreamPodSandboxMetricsResponse': StreamPodSandboxMetricsResponse;
  'runtime.v1.PodSandboxMetrics': PodSandboxMetrics;
  'runtime.v1.ContainerMetrics': ContainerMetrics;
  'runtime.v1.Metric': Metric;
  'runtime.v1.RuntimeConfigRequest': RuntimeConfigRequest;
  'runtime.v1.RuntimeConfigResponse': RuntimeConfigResponse;
  'runtime.v1.LinuxRuntimeConfiguration': LinuxRuntimeConfiguration;
  'runtime.v1.UpdatePodSandboxResourcesRequest': UpdatePodSandboxResourcesRequest;
  'runtime.v1.UpdatePodSandboxResourcesResponse': UpdatePodSandboxResourcesResponse;
};
