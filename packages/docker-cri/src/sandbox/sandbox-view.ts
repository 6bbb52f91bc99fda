import { create } from '@bufbuild/protobuf';
import { createLruMap } from '@rxlet/component-base';
import {
  NamespaceMode,
  type PodSandbox,
  PodSandboxSchema,
  PodSandboxState,
  type PodSandboxStatus,
  PodSandboxStatusSchema,
} from '@rxlet/cri-api';
import { dockerTimeNanos } from '../engine/docker-time.ts';
import type { DockerContainer, DockerListedContainer } from '../engine/docker-types.ts';
import { DockerLabel, fromDockerLabels } from '../names/docker-labels.ts';
import { parseSandboxName, type SandboxName } from '../names/docker-names.ts';
import type { SandboxCheckpoint } from './checkpoint.ts';
import type { PodNetwork } from './pod-network.ts';

const { SANDBOX_NOTREADY, SANDBOX_READY } = PodSandboxState;
const MAX_ADDRESSES = 10_000;

/** Addresses of sandboxes. */
export interface SandboxAddresses {
  /** Returns the addresses of a sandbox; none while it is not connected. */
  get(sandboxId: string): Promise<readonly string[]>;
  forget(sandboxId: string): void;
}

/** Creates {@link SandboxAddresses}, which keep what does not change: the addresses of a connected sandbox. */
export function createSandboxAddresses(network: PodNetwork): SandboxAddresses {
  const known = createLruMap<readonly string[]>(MAX_ADDRESSES);
  return {
    async get(sandboxId) {
      const cached = known.get(sandboxId);
      if (cached !== undefined) return cached;
      const addresses = await network.addresses(sandboxId);
      if (addresses.length > 0) known.set(sandboxId, addresses);
      return addresses;
    },
    forget: (sandboxId) => known.delete(sandboxId),
  };
}

/** Returns the status of a sandbox. It is ready when its container runs and has an address, or needs none. */
export function sandboxStatus(container: DockerContainer, addresses: readonly string[]): PodSandboxStatus {
  const { HostConfig, Config } = container;
  const isOnHost = HostConfig.NetworkMode === 'host';
  const isReady = container.State.Running && (isOnHost || addresses.length > 0);
  const [ip = '', ...more] = isOnHost || !isReady ? [] : addresses;
  return create(PodSandboxStatusSchema, {
    id: container.Id,
    metadata: metadataOf(container.Name),
    state: isReady ? SANDBOX_READY : SANDBOX_NOTREADY,
    createdAt: dockerTimeNanos(container.Created),
    network: { ip, additionalIps: more.map((other) => ({ ip: other })) },
    linux: {
      namespaces: {
        options: {
          network: isOnHost ? NamespaceMode.NODE : NamespaceMode.POD,
          pid: HostConfig.PidMode === 'host' ? NamespaceMode.NODE : NamespaceMode.CONTAINER,
          ipc: HostConfig.IpcMode === 'host' ? NamespaceMode.NODE : NamespaceMode.POD,
        },
      },
    },
    ...fromDockerLabels(Config.Labels),
    runtimeHandler: Config.Labels?.[DockerLabel.runtimeHandler] ?? '',
  });
}

/** Returns an entry of the list of sandboxes; `undefined` for a container that is none of Kubernetes. */
export function listedSandbox(
  listed: DockerListedContainer,
  createdAt: bigint,
  isReady: boolean,
): PodSandbox | undefined {
  const name = (listed.Names ?? []).map(parseSandboxName).find((parsed) => parsed !== undefined);
  if (name === undefined) return undefined;
  return create(PodSandboxSchema, {
    id: listed.Id,
    metadata: name,
    state: isReady ? SANDBOX_READY : SANDBOX_NOTREADY,
    createdAt,
    ...fromDockerLabels(listed.Labels),
    runtimeHandler: listed.Labels?.[DockerLabel.runtimeHandler] ?? '',
  });
}

/** Returns an entry for a sandbox whose container is gone, so that its owner removes the rest. It has the labels by which a kubelet knows its sandboxes. */
export function checkpointedSandbox({ id, name, createdAt }: SandboxCheckpoint): PodSandbox {
  return create(PodSandboxSchema, {
    id,
    metadata: name,
    state: SANDBOX_NOTREADY,
    createdAt: BigInt(createdAt),
    labels: podLabels(name),
  });
}

/** Returns the status of a sandbox whose container is gone. */
export function checkpointedStatus({ id, name, createdAt, isHostNetwork }: SandboxCheckpoint): PodSandboxStatus {
  return create(PodSandboxStatusSchema, {
    id,
    metadata: name,
    state: SANDBOX_NOTREADY,
    createdAt: BigInt(createdAt),
    network: {},
    linux: { namespaces: { options: { network: isHostNetwork ? NamespaceMode.NODE : NamespaceMode.POD } } },
    labels: podLabels(name),
  });
}

function podLabels({ name, namespace, uid }: SandboxName): Record<string, string> {
  return {
    'io.kubernetes.pod.name': name,
    'io.kubernetes.pod.namespace': namespace,
    'io.kubernetes.pod.uid': uid,
  };
}

function metadataOf(dockerName: string): SandboxName {
  return parseSandboxName(dockerName) ?? { name: '', namespace: '', uid: '', attempt: 0 };
}
