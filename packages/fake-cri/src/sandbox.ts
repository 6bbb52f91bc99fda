import { create } from '@bufbuild/protobuf';
import {
  NamespaceMode,
  type PodSandboxConfig,
  type PodSandboxMetadata,
  PodSandboxNetworkStatusSchema,
  PodSandboxSchema,
  PodSandboxState,
  PodSandboxStatusSchema,
} from '@rxlet/cri-api';
import type { Sandbox } from './runtime-objects.ts';

/** Returns the name that a sandbox reserves, in containerd's format. */
export function sandboxName({ name, namespace, uid, attempt }: PodSandboxMetadata): string {
  return [name, namespace, uid, attempt].join('_');
}

/** Reports whether the pod shares the node's network, and so has no address of its own. */
export function usesHostNetwork(config: PodSandboxConfig): boolean {
  return config.linux?.securityContext?.namespaceOptions?.network === NamespaceMode.NODE;
}

/** Creates a sandbox in state READY. */
export function createSandbox(
  id: string,
  name: string,
  config: PodSandboxConfig,
  runtimeHandler: string,
  ip: string | undefined,
  createdAt: bigint,
): Sandbox {
  const { metadata, labels, annotations } = config;
  const common = {
    id,
    metadata: metadata!,
    state: PodSandboxState.SANDBOX_READY,
    createdAt,
    labels,
    annotations,
    runtimeHandler,
  };
  return {
    id,
    name,
    config,
    containers: new Map(),
    ip,
    hostname: config.hostname,
    bridges: new Set(),
    removedCpuNanoseconds: 0n,
    listed: create(PodSandboxSchema, common),
    status: create(PodSandboxStatusSchema, {
      ...common,
      network: { ip: ip ?? '' },
      linux: { namespaces: { options: config.linux?.securityContext?.namespaceOptions ?? {} } },
    }),
  };
}

/** READY → NOTREADY. A sandbox that is not ready has no address. */
export function markNotReady(sandbox: Sandbox): void {
  const state = PodSandboxState.SANDBOX_NOTREADY;
  sandbox.ip = undefined;
  sandbox.listed = { ...sandbox.listed, state };
  sandbox.status = { ...sandbox.status, state, network: create(PodSandboxNetworkStatusSchema) };
}

export function isReady(sandbox: Sandbox): boolean {
  return sandbox.status.state === PodSandboxState.SANDBOX_READY;
}
