import { create } from '@bufbuild/protobuf';
import {
  NamespaceMode,
  type PodSandbox as PodSandboxMessage,
  type PodSandboxConfig,
  type PodSandboxMetadata,
  PodSandboxNetworkStatusSchema,
  PodSandboxSchema,
  PodSandboxState,
  type PodSandboxStatus,
  PodSandboxStatusSchema,
} from '@rxlet/cri-api';
import type { Container } from './container.ts';

/**
 * A pod sandbox:
 *
 *                RunPodSandbox            StopPodSandbox                RemovePodSandbox
 *     (absent) ────────────────▶ READY ──────────────────▶ NOTREADY ────────────────────▶ (absent)
 *                                  │     kills containers,             removes containers,  ▲
 *                                  │     gives its IP back             frees its name       │
 *                                  └────────────────────────────────────────────────────────┘
 *                                        RemovePodSandbox, which stops it first
 *
 * Stop and remove are idempotent, and succeed for a sandbox that does not exist. The messages are replaced on each change and never changed
 * themselves, so that answers and events can share them.
 */
export interface Sandbox {
  readonly id: string;
  /** What is reserved: `name_namespace_uid_attempt`. */
  readonly name: string;
  /** As it was given, but for the resources that UpdatePodSandboxResources changes. */
  config: PodSandboxConfig;
  /** Its containers by id, the oldest first. */
  readonly containers: Map<string, Container>;
  /** Its address; `undefined` on the host's network and after it was stopped. */
  ip: string | undefined;
  /** CPU time that its containers used which are removed by now. */
  removedCpuNanoseconds: bigint;
  status: PodSandboxStatus;
  /** What lists show. */
  listed: PodSandboxMessage;
}

/** The name that a sandbox reserves, put together as containerd does it. */
export function sandboxName({ name, namespace, uid, attempt }: PodSandboxMetadata): string {
  return [name, namespace, uid, attempt].join('_');
}

/** Whether the pod shares the node's network, and so has no address of its own. */
export function usesHostNetwork(config: PodSandboxConfig): boolean {
  return config.linux?.securityContext?.namespaceOptions?.network === NamespaceMode.NODE;
}

/** A sandbox that is ready. */
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
